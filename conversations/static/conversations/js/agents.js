// The agents that the person can reach, as the page shows them.

const TONES = 8;

export class Agents {
  /** `entries` is `[{ name, display_name, capabilities, examples }]`, in the order they are shown. */
  constructor(entries) {
    this.entries = entries;
    this.byName = new Map(entries.map((entry, index) => [entry.name, { ...entry, tone: index % TONES }]));
  }

  /** What to show for `name`, also when it has left the directory. */
  get(name, displayName = null) {
    const known = this.byName.get(name);
    if (known) return known;
    return { name, display_name: displayName ?? name, capabilities: [], examples: [], tone: toneOf(name) };
  }

  /**
   * Those with a word of the name, or anything in the display name, like `text`; beginnings first.
   * The "_agent" that most names end in says nothing.
   */
  matching(text) {
    const wanted = text.toLowerCase();
    const rank = ({ name, display_name: shown }) => {
      const label = shown.toLowerCase();
      if (name.startsWith(wanted) || label.startsWith(wanted)) return 0;
      return label.includes(wanted) || name.replace(/_agent$/, "").includes(`_${wanted}`) ? 1 : 2;
    };
    const found = this.entries.map((entry) => [rank(entry), entry]).filter(([order]) => order < 2);
    return found.sort(([a], [b]) => a - b).map(([, entry]) => entry);
  }
}

function toneOf(name) {
  let sum = 0;
  for (const character of name) sum = (sum * 31 + character.codePointAt(0)) % 9973;
  return sum % TONES;
}
