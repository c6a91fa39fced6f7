"""Facts: the graph of one name, what changed between two days, aliases and merges with why, retraction."""

import json
import re
import urllib.parse

from browser import Walk, command


def facts_are_explored(playwright, service, data, folder):
    def enter(subject, predicate, value):
        service.post("/v1/agents/graph/facts", {"subject": subject, "predicate": predicate, "object": value, "at": "2026-01-05"})

    # One import is quicker than 160 entries.
    people = ["Ann", *(f"Person {number}" for number in range(160))]
    lines = [{"type": "entity", "name": name, "entityType": "person", "observations": []} for name in people]
    lines += [{"type": "relation", "from": "Ann", "to": name, "relationType": "knows"} for name in people[1:]]
    file = folder / "people.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines))
    command("import", "--from", "mcp-memory", str(file), "--agent", "graph", "--data", str(data))
    service.post("/v1/agents/graph/messages?wait=searchable", {"conversation": "c", "messages": [
        {"role": "user", "name": "Ann", "content": "I live in Oslo.", "at": "2026-01-05T10:00:00Z"},
        {"role": "user", "name": "Ann", "content": "I moved from Oslo to Bern.", "at": "2026-02-02T10:00:00Z"}]})
    enter("Person 0", "owns", "a red boat")
    enter("Ann", "also_known_as", "Annie")
    enter("Dr. Bob Smith", "works_as", "dentist")
    enter("Bob Smith", "knows", "Ann")
    command("rollup", "--agent", "graph", "--data", str(data))
    walk = Walk(playwright, service.address, viewport={"width": 1280, "height": 900})
    page = walk.page
    show = lambda **query: walk.go("/agents/graph/facts?" + urllib.parse.urlencode(query))
    names = lambda: page.locator("svg.graph .node").count()

    show(about="Ann")
    assert names() == 150 and "Only the nearest 150 names" in page.inner_text("main"), names()
    walk.axe("graph of 150 names")
    show(about="Person 0")
    shown = {node.text_content() for node in page.locator("svg.graph .node").all()}
    assert shown == {"a red boat", "Ann", "Person 0", "person"}, shown
    page.get_by_role("link", name="Two steps").click()
    page.wait_for_url(re.compile("depth=2"))
    assert names() == 150, names()
    page.locator("svg.graph .node", has_text="Ann").first.click()
    page.wait_for_url(re.compile("about=Ann"))

    show(as_of="2026-01-20", compare="2026-02-10")
    began, ended = page.locator("table.facts", has_text="Began").inner_text(), page.locator("table.facts", has_text="Ended").inner_text()
    assert "Bern" in began and "Oslo" in ended, (began, ended)
    show(about="Annie", predicate="lives_in")
    assert "Bern" in page.inner_text("table.facts"), "an alias leads to the same facts"
    show(predicate="also_known_as")
    text = page.inner_text("table.facts")
    assert "another name" in text and "same as, because same words" in text, text

    show(about="Person 0", predicate="owns")
    page.get_by_role("button", name="Retract: Person 0 owns a red boat").click()
    page.wait_for_url(re.compile("history=yes"))
    row = page.locator("table.facts tr", has_text="red boat")
    assert "holds" not in row.inner_text() and row.get_by_role("button").count() == 0, row.inner_text()
    walk.done()
