# Makes pages from texts: make -f site.mk mode=each|once
# What all pages have is found by $(shell) whenever a recipe asks for it, or once, by :=.
ifeq ($(mode),once)
version := $(shell cat version)
author := $(shell sed -n 's/^author: //p' about)
year := $(shell sed -n 's/^year: //p' about)
else
version = $(shell cat version)
author = $(shell sed -n 's/^author: //p' about)
year = $(shell sed -n 's/^year: //p' about)
endif
texts := $(sort $(wildcard texts/*.txt))
pages := $(texts:texts/%.txt=made/%.html)

out: $(pages)
	cat $(pages) > $@

made/%.html: texts/%.txt | made
	sed -e 's/VERSION/$(version)/' -e 's/AUTHOR/$(author)/' -e 's/YEAR/$(year)/' $< > $@

made:
	mkdir -p made
