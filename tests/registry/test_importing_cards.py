"""Cards in Git: imported all or none, exported the same."""

from io import StringIO
from pathlib import Path

import pytest
import yaml
from django.core.management import call_command
from django.core.management.base import CommandError

from registry.models import Agent, AgentVersion, RegistryState, Tag
from registry.services import Action, ImportRefusedError, import_cards

pytestmark = pytest.mark.django_db


def run(*args: object, **options: object) -> str:
    out = StringIO()
    call_command("import_cards", *map(str, args), stdout=out, no_color=True, **options)
    return out.getvalue()


@pytest.fixture
def write(tmp_path: Path, card_data):
    def make(filename: str = "card.yaml", **changes: object) -> Path:
        path = tmp_path / filename
        path.write_text(yaml.safe_dump(card_data(**changes), allow_unicode=True), encoding="utf-8")
        return path

    return make


def test_a_new_card_becomes_a_draft_and_with_publish_is_live(write):
    path = write(tags=["vehicle"])
    assert "diagnosis_agent 1.0.0: new agent\n" in run(path)
    assert Agent.objects.get().live is None
    assert "unchanged, published" in run(path, publish=True)
    assert Agent.objects.get().live.version == "1.0.0"
    assert Tag.objects.get().name == "vehicle"


def test_the_diff_comes_first_and_a_dry_run_changes_nothing(write):
    run(write(), publish=True)
    before = RegistryState.current(), list(AgentVersion.objects.values())
    out = run(write(version="1.1.0", display_name="Better diagnosis"), dry_run=True, publish=True)
    assert "-display_name: Vehicle diagnosis\n" in out
    assert "+display_name: Better diagnosis\n" in out
    assert "dry run" in out
    assert (RegistryState.current(), list(AgentVersion.objects.values())) == before


def test_the_same_card_again_changes_nothing(write):
    path = write(tags=["vehicle"], auth={"type": "bearer", "secret_ref": "AGENT_SECRET_A"})
    run(path, publish=True, allow_secrets=True)
    before = RegistryState.current()
    assert "diagnosis_agent 1.0.0: unchanged\n" in run(path, publish=True, allow_secrets=True)
    assert RegistryState.current() == before


def test_other_content_under_a_published_number_is_refused(write):
    run(write(), publish=True)
    with pytest.raises(CommandError, match="published with other content"):
        run(write(description="Something else entirely."))
    assert AgentVersion.objects.get().description.startswith("Explains")


def test_a_draft_may_be_replaced(write):
    run(write())
    assert "draft changed" in run(write(description="Something else entirely."))
    assert AgentVersion.objects.get().description == "Something else entirely."


def test_owner_tags_and_parent_need_no_new_number(write):
    run(write(), publish=True)
    assert "owner, tags or parent changed" in run(write(owner="new@example.org", tags=["hr"]))
    agent = Agent.objects.get()
    assert (agent.owner, agent.live.version) == ("new@example.org", "1.0.0")


def test_every_error_of_every_file_is_listed_and_nothing_is_imported(write, tmp_path, card_data):
    write("a.yaml")
    write("b.yaml", name="second_agent", version="v1", endpoint="http://169.254.169.254/latest")
    write("c.yaml", name="third_agent", secret="x", auth={"type": "bearer", "secret_ref": "sk-abcdef123456"})
    write("d.yaml", name="fourth_agent", parent="nobody_agent")
    write("e.yaml", name="fifth_agent", auth={"type": "bearer", "secret_ref": "DATABASE_URL"})
    (tmp_path / "f.yaml").write_text("name: a_agent\nname: b_agent\n")
    (tmp_path / "g.yaml").write_bytes(b"\xff\xfe")
    write("h.yaml", name="eighth_agent", transport="inproc", endpoint=None, entrypoint="os.system")
    with pytest.raises(CommandError) as caught:
        run(tmp_path, publish=True, allow_secrets=True)
    text = str(caught.value)
    expected = [
        "version must be SemVer",
        "metadata",
        "secret is no field",
        "secret_ref must name",
        "no agent called nobody_agent",
        "e.yaml",
        "f.yaml, line 2",
        "g.yaml: cannot be read",
        "entrypoint is outside",
    ]
    for words in expected:
        assert words in text, words
    assert "sk-abcdef" not in text
    assert "Nothing was imported" in text
    assert not Agent.objects.exists()


def test_a_circle_of_parents_is_refused(write, tmp_path):
    write("a.yaml", name="a_agent", parent="b_agent")
    write("b.yaml", name="b_agent", parent="a_agent")
    with pytest.raises(CommandError, match="own ancestor"):
        run(tmp_path)
    assert not Agent.objects.exists()


def test_a_child_may_stand_before_its_parent(write, tmp_path):
    write("a.yaml", name="a_agent", parent="z_agent")
    write("z.yaml", name="z_agent")
    run(tmp_path, publish=True)
    child = Agent.objects.get(name="a_agent")
    assert child.parent.name == "z_agent"
    assert child.live.parent == "z_agent", "the version records it too"


def test_one_number_twice_in_an_import_is_refused(card):
    with pytest.raises(ImportRefusedError, match="more than once"):
        import_cards(cards=[card(), card(display_name="Other")], by=None)


def test_secrets_are_allowed_only_on_request(write):
    path = write(auth={"type": "bearer", "secret_ref": "AGENT_SECRET_A"})
    assert "may not use its secret" in run(path, publish=True)
    assert Agent.objects.get().allowed_secrets == []
    run(path, allow_secrets=True)
    assert Agent.objects.get().allowed_secrets == ["AGENT_SECRET_A"]


def test_a_person_needs_permissions(card, alice):
    with pytest.raises(ImportRefusedError, match="may not do this"):
        import_cards(cards=[card()], by=alice)


def test_what_an_import_did_is_told(card):
    cards = [card(name="a_agent"), card(name="b_agent")]
    first = import_cards(cards=cards, by=None, publish_them=True)
    assert [(c.action, c.published) for c in first] == [(Action.NEW_AGENT, True)] * 2
    second = import_cards(cards=[*cards, card(name="a_agent", version="1.1.0")], by=None)
    assert [c.action for c in second] == [Action.UNCHANGED, Action.UNCHANGED, Action.NEW_VERSION]


@pytest.mark.django_db(transaction=True)
def test_export_import_export_is_identical(write, tmp_path):
    source, first, second = tmp_path / "source", tmp_path / "first", tmp_path / "second"
    source.mkdir()
    write(
        "source/a.yaml",
        not_for=["车险 （→ insurance_agent）", "parts"],
        examples=["P0171 是什么故障？", "yes: no", "# hash", "null", "1.0"],
        description="First line.\nSecond: line.\n",
        tags=["vehicle"],
        timeout_ms=60_000,
        routing_keywords=["re:P\\d{4}"],
    )
    local = {"transport": "inproc", "endpoint": None, "entrypoint": "sample_agents.general.agent"}
    write("source/b.yaml", name="local_agent", parent="diagnosis_agent", stateful=True, **local)
    run(source, publish=True)
    call_command("export_cards", to=first, stdout=StringIO())
    assert run(first, publish=True).count("unchanged") == 2
    call_command("flush", interactive=False, verbosity=0)
    run(first, publish=True)
    call_command("export_cards", "local_agent", "diagnosis_agent", to=second, stdout=StringIO())
    texts = [{file.name: file.read_text() for file in folder.iterdir()} for folder in (first, second)]
    assert texts[0] == texts[1]
    assert sorted(texts[0]) == ["diagnosis_agent.yaml", "local_agent.yaml"]


def test_exporting_an_unknown_agent_is_an_error(tmp_path):
    with pytest.raises(CommandError, match="nobody_agent"):
        call_command("export_cards", "nobody_agent", to=tmp_path, stdout=StringIO())


def test_a_path_without_cards_is_an_error(tmp_path):
    with pytest.raises(CommandError, match="no such file"):
        run(tmp_path / "missing")
    with pytest.raises(CommandError, match=r"no \.yaml file"):
        run(tmp_path)


def test_tags_in_another_order_are_nothing_new(write):
    run(write(tags=["workshop", "vehicle"]), publish=True)
    assert "unchanged" in run(write(tags=["workshop", "vehicle"]))
    assert "unchanged" in run(write(tags=["vehicle", "workshop"]))


def test_the_cards_that_ship_are_valid_and_stay_as_they_are():
    folder = Path(__file__).resolve().parents[2] / "registry" / "agents"
    run(folder, publish=True, allow_secrets=True)
    assert Agent.objects.filter(live=None).count() == 0
    again = run(folder, publish=True, allow_secrets=True)
    assert again.count(": unchanged") == Agent.objects.count() == len(list(folder.glob("*.yaml")))
