/** Links and addresses in a text, in every form that a browser or a mail program makes a link of. */

const LINKS: readonly RegExp[] = [
  // With a scheme, or with none: `//host/path` goes to the host by the scheme of the page.
  /[a-z][a-z0-9+.-]{0,30}:[^\s)\]>"']+/giu,
  /[\\/]{2}[^\s)\]>"']+/gu,
  // A name with dots, with or without a path or an address before it; so are numbers with three dots.
  /(?:[\p{L}\p{N}._%+-]{1,64}@)?[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){0,8}\.\p{L}[\p{L}\p{N}-]{1,63}(?:[:/?#][^\s)\]>"']*)?/giu,
  /\d{1,3}(?:\.\d{1,3}){3}(?:[:/?#][^\s)\]>"']*)?/gu,
  // Wherever a Markdown link leads.
  /\]\([^)\s]*/gu,
]

/** The links of a text in lower case, each in the form it stands in. */
export function linksIn(text: string): readonly string[] {
  const plain = text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replaceAll('。', '.')
    .toLowerCase()
  return LINKS.flatMap((pattern) => [...plain.matchAll(pattern)].map(([link]) => trimmed(link)))
}

function trimmed(link: string): string {
  let end = link.length
  while (end > 0 && '.,;:!?/*_'.includes(link[end - 1]!)) end -= 1
  return link.slice(0, end)
}
