# Installing and packages: manual pages, completion, units, settings. install.sh says what goes where.
PACKAGE := $(B)/package
LIBDIR ?= $(PREFIX)/lib
SYSCONFDIR ?= $(if $(filter /usr,$(PREFIX)),,$(PREFIX))/etc
# The date of manual pages and packages: a commit gives the same bytes again.
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || stat -c %Y core/terrane.h)
# DESTDIR, which may hold any character, is in the environment already.
PLACES = BUILD='$(B)' PREFIX='$(PREFIX)' LIBDIR='$(LIBDIR)' SYSCONFDIR='$(SYSCONFDIR)' SOURCE_DATE_EPOCH='$(SOURCE_DATE_EPOCH)'
INSTALLABLE := all $(B)/libterrane.so.0 $(B)/pic/libterrane.a $(PACKAGE)/.written

.PHONY: install uninstall npm deb deb-test

##@ Install and package
# The folder goes first, as it may hold pages of commands that are gone.
$(PACKAGE)/.written: $(B)/terrane $(wildcard config/package/*.mjs config/*.schema.json)
	@echo "manual pages and completion"
	$(QUIET)rm -rf $(@D) && node config/package/man.mjs $< config $(@D)/man
	$(QUIET)node config/package/completion.mjs $< $(@D)/completion && touch $@
install: $(INSTALLABLE) ## into $(DESTDIR)$(PREFIX): program, library, manual pages, completion, units
	$(QUIET)$(PLACES) config/package/install.sh install
uninstall: ## remove what install put there
	$(QUIET)$(PLACES) config/package/install.sh uninstall
npm: $(WASM)/terrane.wasm ## build/terrane-VERSION.tgz: the JavaScript client, to be installed by npm
	@config/package/npm.sh $< build
deb: $(INSTALLABLE) wasm deps-deb ## build/*.deb: packages for Debian and Ubuntu
	$(QUIET)$(PLACES) config/package/deb.sh build
deb-test: deb ## install, run and purge the packages in a fresh Debian; BASE=FOLDER is one to begin with
	@config/package/test.sh build
