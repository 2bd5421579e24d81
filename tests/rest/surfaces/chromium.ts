/** A browser for the tests: Debian's Chromium, without a window. */
import { type Browser, chromium, type Page } from "playwright-core";

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Where the browser is; setup installs it where it can. */
export const chromiumPath: string | undefined = PATHS.find((path) => {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
});

/** A page that remembers what went wrong in it. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors of scripts and of the content policy, and addresses asked for on other servers. */
  readonly troubles: string[];
}

/** Runs with a fresh page; `origin` is the only server it may ask. */
export async function withPage(origin: string, run: (watched: WatchedPage) => Promise<void>): Promise<void> {
  const browser: Browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    page.setDefaultTimeout(10_000);
    const troubles: string[] = [];
    page.on("pageerror", (error) => troubles.push(error.message));
    page.on("console", (message) => {
      // A refused request is what some tests are about; a refused script or style never is.
      if (message.type() === "error" && !/Failed to load resource/.test(message.text())) troubles.push(message.text());
    });
    page.on("request", (request) => {
      if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== origin) {
        troubles.push(request.url());
      }
    });
    await run({ page, troubles });
  } finally {
    await browser.close();
  }
}
