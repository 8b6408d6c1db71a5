# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
# helps: tests/rtl/mutants.py tests/rtl/test_mutate.py
"""Makes mutants of a Verilog module: small mistakes at every place where one can be made.

An operator is replaced by its neighbour, a negation dropped, a constant is off by one, a condition negated or forced, an assignment
dropped (so also a reset). The order is that of the text, so the same text gives the same mutants with the same numbers.
"""
import re

TOKEN = re.compile(r"""
    (?P<skip>//[^\n]*|/\*.*?\*/|"[^"\n]*"|`(?:include|default_nettype|define|ifdef|ifndef|else|endif)[^\n]*|\s+)
  | (?P<sized>\d*\s*'[sS]?[bdhBDH][0-9a-fA-F_xzXZ]+)
  | (?P<word>[`$]?[A-Za-z_]\w*)
  | (?P<number>\d[\d_.]*)
  | (?P<op><<<|>>>|===|!==|&&|\|\||==|!=|<=|>=|<<|>>|~\^|\^~|~&|~\||\+:|-:|[-+*/%&|^~!<>=?:;,.@\#(){}\[\]])
""", re.X | re.S)

SWAPS = {"&&": "||", "||": "&&", "&": "|", "|": "&", "^": "|", "==": "!=", "!=": "==", "<": "<=", ">": ">=", ">=": ">",
         "+": "-", "-": "+", "<<": ">>", ">>": "<<"}
OPENS, CLOSES = "([{", ")]}"


class Token:
    def __init__(self, kind, text, at):
        self.kind, self.text, self.at = kind, text, at


def tokens(source):
    out, at = [], 0
    proof = re.search(r"`ifdef FORMAL.*?`endif", source, re.S)     # assertions in a module are no part of it
    while at < len(source):
        if proof and at == proof.start():
            at = proof.end()
        found = TOKEN.match(source, at)
        if not found:
            raise ValueError("no token at " + repr(source[at:at + 20]))
        if found.lastgroup != "skip":
            out.append(Token(found.lastgroup, found.group(), at))
        at = found.end()
    return out


def other_constant(text):
    """The constant one larger, modulo its width."""
    width, base, digits = re.match(r"(\d*)\s*'[sS]?([bdhBDH])(\w+)", text).groups()
    radix = {"b": 2, "d": 10, "h": 16}[base.lower()]
    if re.search("[xzXZ]", digits) or not width:
        return None
    value = (int(digits.replace("_", ""), radix) + 1) % (1 << int(width))
    return "%s'%s%s" % (width, base, {2: "{:b}", 10: "{}", 16: "{:x}"}[radix].format(value))


def closing(items, first):
    """Index of the bracket that closes items[first]."""
    depth = 0
    for i in range(first, len(items)):
        depth += (items[i].text in OPENS) - (items[i].text in CLOSES)
        if depth == 0:
            return i
    raise ValueError("bracket without end")


def in_range(items, at):
    """Whether items[at] is in the upper bound of a range [a:b]."""
    depth, first = 0, at
    while depth <= 0 and items[first].text != ";":      # back to the bracket around it
        first -= 1
        depth += (items[first].text in OPENS) - (items[first].text in CLOSES)
    if items[first].text != "[":
        return False
    depth = 0
    for t in items[first + 1:closing(items, first)]:
        depth += (t.text in OPENS) - (t.text in CLOSES)
        if depth == 0 and t.text == ":":
            return t.at > items[at].at
    return False


def mutants(source):
    """Yields (offset, old text, new text) in the order of the text."""
    items = tokens(source)
    module = next(i for i, t in enumerate(items) if t.text == "module")
    body = next(i for i in range(module, len(items)) if items[i].text == ";")
    depth, assigned = 0, False
    declares = False            # in a declaration, before its `=`: ranges and names
    loop = -1                   # the bracket that ends the head of a loop, whose mutants would not end, or of an always block
    for i in range(body + 1, len(items)):
        t, before = items[i], items[i - 1]
        operand = before.kind in ("word", "sized", "number") and before.text not in ("return", "else", "begin", "if", "case") \
            or before.text in (")", "]", "}")
        if t.text in OPENS:
            depth += 1
        if t.text in CLOSES:
            depth -= 1
        if depth == 0 and (t.text in (";", "begin", "end", "else", "endcase") or (t.text == ")" and loop == i) or t.text == "@"):
            assigned, declares = False, False
        if t.text in ("reg", "wire", "input", "output", "integer", "localparam", "parameter", "genvar", "function", "task"):
            declares = True
        if t.text in ("for", "repeat", "@") and items[i + 1].text == "(":
            loop = closing(items, i + 1)
        if t.text == "if" and items[i + 1].text == "(":
            last = closing(items, i + 1)
            inner = source[items[i + 1].at + 1:items[last].at]
            if i > loop:
                for new in ("!(%s)" % inner, "1'b1", "1'b0"):
                    if new[0] == "1" or not re.match(r"!\w+$", inner):     # the same as without the negation
                        yield items[i + 1].at + 1, inner, new
        if t.text == "=" and depth == 0:
            assigned, declares = True, False
            continue
        if i <= loop or declares:
            continue
        if t.text == "<=" and depth == 0 and not assigned:
            assigned = True
            begin, inside = i, 0                        # back to the begin of the left side
            while inside or items[begin - 1].text not in (";", "begin", "end", "else", ":", ")"):
                begin -= 1
                inside += (items[begin].text in CLOSES) - (items[begin].text in OPENS)
            end = next(k for k in range(i, len(items)) if items[k].text == ";")
            yield items[begin].at, source[items[begin].at:items[end].at], ""
            continue
        if t.kind == "op" and operand:
            if t.text == "<=":
                yield t.at, t.text, "<"
            elif t.text in SWAPS:
                if t.text not in "+-" or not in_range(items, i):        # a wider range is cut again
                    yield t.at, t.text, SWAPS[t.text]
            elif t.text == "?":
                yield t.at, "?", "|| 1'b1 ?"
                yield t.at, "?", "&& 1'b0 ?"
        elif t.kind == "op" and t.text in "!~":
            yield t.at, t.text, ""
        elif t.kind == "sized":
            new = other_constant(t.text)
            if new:
                yield t.at, t.text, new
        elif t.kind == "number" and t.text.isdigit() and before.text != "#" and before.text != ".":
            n = int(t.text)
            if before.text == "[" and items[i + 1].text == "]":
                yield t.at, t.text, str(n - 1 if n else 1)
            elif before.text == "[" and items[i + 1].text == ":":
                if n:                                   # a wider range is cut again
                    yield t.at, t.text, str(n - 1)
            elif before.text != "{":                    # a factor of a repetition changes widths alone
                yield t.at, t.text, str(n + 1)


def named(source):
    """List of (name, source of the mutant). The name is the line with the change in it: {-old-}{+new+}; #2 for its second like it."""
    out, seen = [], {}
    for at, old, new in mutants(source):
        begin = source.rfind("\n", 0, at) + 1
        end = source.find("\n", at + len(old))
        text = source[begin:at] + "{-" + old + "-}{+" + new + "+}" + source[at + len(old):end]
        text = " ".join(re.sub(r"//[^\n]*", "", text).split())
        seen[text] = seen.get(text, 0) + 1
        if seen[text] > 1:
            text += " #%d" % seen[text]
        out.append((text, source[:at] + new + source[at + len(old):]))
    return out


if __name__ == "__main__":
    import sys
    for path in sys.argv[1:]:
        for number, (name, _) in enumerate(named(open(path).read()), 1):
            print("%s %d: %s" % (path, number, name))
