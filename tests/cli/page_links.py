# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Every link of a page leads to a file. Usage: page_links.py PAGE [FILE...]: one link at least leads to each FILE, named by the
# end of its path.
# helps: tests/cli/*.sh tests/*/cli/*.sh tests/install/run.sh
import html.parser
import os
import sys
import urllib.parse


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        self.found += [value for name, value in attributes if name in ("href", "src")]


page, wanted = sys.argv[1], sys.argv[2:]
links = Links()
with open(page, encoding="utf-8") as file:
    links.feed(file.read())
targets = []
for link in links.found:
    parts = urllib.parse.urlsplit(link)
    if parts.scheme or parts.netloc or parts.path.startswith("/"):
        sys.exit(f"{page}: '{link}' is not relative")
    target = os.path.join(os.path.dirname(page), urllib.parse.unquote(parts.path))
    if not os.path.isfile(target):
        sys.exit(f"{page}: '{link}' leads to no file")
    targets.append(os.path.realpath(target))
for name in wanted:
    if not any(target.endswith("/" + name) for target in targets):
        sys.exit(f"{page}: no link to {name}; those there are: {' '.join(links.found)}")
