"""The report of a session as Markdown."""


def cell(value):
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text.replace("|", "\\|").replace("\n", " ")


def table(head, rows):
    lines = ["| " + " | ".join(map(cell, row)) + " |" for row in ([head] + rows)]
    return "\n".join([lines[0], "|" + " --- |" * len(head), *lines[1:]])


def flat(value, name=""):
    """All numbers and texts of an object, with the path of each as its name."""
    if isinstance(value, dict):
        return {key: each for part, inner in value.items()
                for key, each in flat(inner, f"{name} {part}".strip()).items()}
    if isinstance(value, list):
        return {key: each for i, inner in enumerate(value) for key, each in flat(inner, f"{name} {i + 1}").items()}
    return {} if value is None else {name: value}


def rows_of(figures):
    """The rows of a benchmark, or those of each network in them."""
    for row in figures.get("rows", []):
        networks = row.get("networks")
        if not networks:
            yield flat({key: row[key] for key in row if key != "spread"})
            continue
        for network in networks:
            yield {**{key: row[key] for key in ("case", "batch", "precision", "device") if key in row}, **flat(network)}


def figures_text(entry):
    figures = entry["figures"]
    rows = list(rows_of(figures)) if isinstance(figures.get("rows"), list) else []
    text = [f"### {entry['stage']}", "", "`" + " ".join(entry["command"]) + "`", ""]
    other = flat({key: value for key, value in figures.items() if key not in ("rows", "turns")})
    if rows:
        columns = list(dict.fromkeys(key for row in rows for key in row))
        columns = [key for key in columns if any(row.get(key) not in (None, False, "") for row in rows)]
        # One column for each case: a row of a benchmark has more figures than a page is wide.
        text += [table(["", *(row.get("case", "") for row in rows)],
                       [[key, *(row.get(key, "") for row in rows)] for key in columns if key != "case"]), ""]
    text += [table(["", "value"], [[key, value] for key, value in other.items()]), ""]
    return "\n".join(text)


def markdown(report):
    entries = report["stages"]
    text = ["# The GPU run" + (", dry: without a GPU" if report["dry"] else ""), "",
            table(["stage", "what it checks", "result", "seconds"],
                  [[each["stage"], each["checks"], each["result"] + (": " + each["reason"] if each["reason"] else ""),
                    each["seconds"] or ""] for each in entries]), ""]
    for each in entries:
        if each["result"] in ("FAILED", "cut off"):
            text += [f"## {each['stage']}: {each['result']}", "", "`" + " ".join(each["command"]) + "`", "",
                     "    " + each["tail"][-3000:].replace("\n", "\n    "), ""]
    text += ["## Figures", ""] + [figures_text(each) for each in entries if each["figures"]]
    return "\n".join(text)
