// A scrolling box that stays at its end while the reader does, and leaves them alone once they scroll up.

const NEAR_END_PX = 96;

export class Follower {
  /** `onMove(isAtEnd)` hears of every scroll and every look. */
  constructor(box, onMove = () => {}) {
    this.box = box;
    this.onMove = onMove;
    this.isAtEnd = true;
    box.addEventListener("scroll", () => this.look(), { passive: true });
  }

  /** Call after what is inside has grown. */
  grown() {
    if (this.isAtEnd) this.toEnd();
    else this.look();
  }

  toEnd() {
    this.box.scrollTop = this.box.scrollHeight;
    this.isAtEnd = true;
    this.onMove(true);
  }

  look() {
    const { scrollHeight, scrollTop, clientHeight } = this.box;
    // A box that is not shown has no heights: it is wherever it was.
    if (clientHeight === 0) return;
    this.isAtEnd = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
    this.onMove(this.isAtEnd);
  }
}
