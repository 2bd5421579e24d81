import type { PageDocument, PageElement, PageWindow } from "./dom.ts";

/** Sets up search, theme and the place in the list. */
export function setUpBrowsing(document: PageDocument, window: PageWindow): void {
  const search = document.getElementById("page-search")!;
  const found = document.getElementById("page-found")!;
  const articles = [...document.querySelectorAll("article[data-search]")];
  const links = new Map([...document.querySelectorAll("nav a[data-for]")].map((link) => [link.dataset.for, link]));

  const menu = document.getElementById("page-menu")!;
  /** On a narrow screen the list is shown on demand. */
  const showList = (shown: boolean) => {
    menu.setAttribute("aria-expanded", String(shown));
    document.getElementById("page-list")!.className = shown ? "shown" : "";
  };
  menu.addEventListener("click", () => showList(menu.getAttribute("aria-expanded") !== "true"));
  for (const link of links.values()) link.addEventListener("click", () => showList(false));

  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    let count = 0;
    for (const article of articles) {
      const fits = words.every((word) => article.dataset.search?.includes(word));
      article.hidden = !fits;
      const item = links.get(article.id)?.closest("li");
      if (item) item.hidden = !fits;
      if (fits) count++;
    }
    for (const group of document.querySelectorAll("[data-group]")) {
      group.hidden = [...group.querySelectorAll("article, li")].every((part) => part.hidden);
      // A match is shown; the groups that were open before are not remembered.
      if (words.length > 0) group.setAttribute("open", "");
    }
    if (words.length > 0) showList(true);
    found.textContent = words.length === 0 ? "" : count === 1 ? "1 operation" : `${count} operations`;
  };
  search.addEventListener("input", filter);

  /** A link to an operation that the search has left out ends the search. */
  const reveal = () => {
    const target = document.getElementById(decodeHash(window.location.hash));
    if (!target?.hidden && !target?.closest("[hidden]")) return;
    search.value = "";
    filter();
    // It could not be scrolled to while it was hidden.
    target.scrollIntoView();
  };
  window.addEventListener("hashchange", reveal);

  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test((event.target as PageElement & { tagName: string }).tagName);
    if (event.key === "/" && !typing) {
      event.preventDefault();
      search.focus();
      search.select();
    } else if (event.key === "Enter" && document.activeElement === search) {
      const first = articles.find((article) => !article.hidden);
      const link = first && links.get(first.id);
      link?.focus();
      link?.click();
    } else if (event.key === "Escape" && document.activeElement === search) {
      search.value = "";
      filter();
    }
  });

  const theme = document.getElementById("page-theme")!;
  const root = document.documentElement;
  const remembered = () => {
    try {
      return window.localStorage.getItem("theme");
    } catch {
      return null;
    }
  };
  const show = (name: string) => {
    root.dataset.theme = name;
    theme.setAttribute("aria-label", name === "dark" ? "Use light colours" : "Use dark colours");
  };
  show(remembered() ?? (window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
  theme.addEventListener("click", () => {
    show(root.dataset.theme === "dark" ? "light" : "dark");
    try {
      window.localStorage.setItem("theme", root.dataset.theme!);
    } catch { /* Not remembered where storage is forbidden. */ }
  });

  const list = document.getElementById("page-list")!;
  /** Keeps the place in a long list in sight, without moving what is read. */
  const follow = (link: PageElement | undefined) => {
    link?.closest("[data-group]")?.setAttribute("open", "");
    if (!link || link.offsetParent === null) return;
    const top = link.offsetTop - list.offsetTop;
    if (top < list.scrollTop || top > list.scrollTop + list.clientHeight - 60) {
      list.scrollTop = top - list.clientHeight / 2;
    }
  };

  const observer = new window.IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const link = links.get(target.id);
      if (isIntersecting) {
        link?.setAttribute("aria-current", "true");
        follow(link);
      } else link?.removeAttribute("aria-current");
    }
  }, { rootMargin: "-10% 0px -70% 0px" });
  for (const article of articles) observer.observe(article);
}

/** Returns the ID in a hash. */
function decodeHash(hash: string): string {
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    return hash.slice(1);
  }
}
