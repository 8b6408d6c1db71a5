# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# What a target needs of the packages of the system.

# Installs what a group of packages.list lacks; silent and without a package manager when all is there.
define install_group
@missing=""; for p in $$(awk '/^[^#]/ && "$(1)" ~ $$1 {print $$2}' packages.list); do \
  dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$p"; done; \
if [ -n "$$missing" ]; then \
  sudo=""; if [ $$(id -u) -ne 0 ]; then sudo=sudo; \
    command -v sudo >/dev/null || { echo "phasebench: these packages are missing:$$missing; sudo is not there to install them: run as root: apt-get install$$missing" >&2; exit 4; }; fi; \
  echo "phasebench: installing with apt-get:$$missing"; \
  $$sudo apt-get update -qq && $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null; fi
endef
