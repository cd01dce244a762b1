// A page opened as a file may not read others: the search then shows titles without excerpts.
if (location.protocol === "file:") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}

// What the theme leaves out: levels of headings beside the pages, and keys that scroll wide code.
document.addEventListener("DOMContentLoaded", () => {
  for (const one of document.querySelectorAll("[role=heading]:not([aria-level])")) {
    one.setAttribute("aria-level", "2");
  }
  for (const one of document.querySelectorAll("pre, .table-wrapper")) {
    if (one.scrollWidth > one.clientWidth) {
      one.tabIndex = 0;
    }
  }
});
