import type { PageDocument, PageElement } from "./dom.ts";

/** Sets up the switches: those that are not needed begin in the middle, which is not sent, and can be put back there. */
export function setUpSwitches(document: PageDocument): void {
  for (const control of document.querySelectorAll("[data-switch]")) {
    const place = control.closest(".switch")!;
    const state = place.querySelector("[data-state]")!;
    const unset = place.querySelector("[data-unset]");
    const show = () => {
      state.textContent = control.indeterminate ? "not sent" : String(control.checked);
      if (unset !== null) unset.hidden = control.indeterminate;
    };
    const clear = (element: PageElement) => {
      element.indeterminate = element.dataset.needed === undefined;
      element.checked = false;
      show();
    };
    control.addEventListener("change", show);
    unset?.addEventListener("click", () => {
      clear(control);
      control.focus();
      control.dispatchEvent(new Event("input", { bubbles: true }));
    });
    clear(control);
    if (control.dataset.begins === undefined) continue;
    control.indeterminate = false;
    control.checked = control.dataset.begins === "true";
    show();
  }
}
