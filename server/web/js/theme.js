// Runs before anything is drawn, so that a page that was switched to dark never flashes white.
(() => {
  try {
    const theme = localStorage.getItem("plumb-theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch { /* a browser may forbid storage */ }
})();
