// Light or dark: what the reader chose, else what the system prefers. Loaded before anything is drawn.

const system = matchMedia("(prefers-color-scheme: dark)");

function stored() {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null; // storage is forbidden
  }
}

function apply() {
  document.documentElement.dataset.theme = stored() ?? (system.matches ? "dark" : "light");
  document.dispatchEvent(new Event("themechange"));
}

apply();
system.addEventListener("change", apply);

document.addEventListener("DOMContentLoaded", () => {
  const button = document.querySelector(".theme");
  const label = () => {
    const other = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    button.setAttribute("aria-label", `Switch to ${other} colours`);
    button.title = `Switch to ${other} colours`;
  };
  button.addEventListener("click", () => {
    const other = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("theme", other);
      apply();
    } catch {
      document.documentElement.dataset.theme = other; // for this page only
      document.dispatchEvent(new Event("themechange"));
    }
  });
  document.addEventListener("themechange", label);
  label();
});
