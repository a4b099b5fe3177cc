/** The text part of a mail: paragraphs with short lines, what people wrote with their own. */

const WIDTH = 76

/** In front of what somebody wrote, and in place of its line breaks until the paragraphs are set. */
const KEPT = '\v'

/** What somebody wrote, indented, so that it cannot be taken for words of the desk. */
export function plainQuote(value: unknown): string {
  return writtenLines(value)
    .map((line) => `${KEPT}${line === '' ? '' : `  ${line}`}`)
    .join('')
}

/** A link, in a line of its own. */
export function plainButton(url: unknown): string {
  return String(url)
}

const EXCERPT_LENGTH = 200

/** The beginning of a long text, in one line. */
export function excerpt(value: unknown): string {
  const characters = [
    ...String(value ?? '')
      .replace(/\s+/g, ' ')
      .trim(),
  ]
  return characters.length <= EXCERPT_LENGTH ? characters.join('') : `${characters.slice(0, EXCERPT_LENGTH).join('')}…`
}

/** A rendered template as the text part, signed. */
export function plainText(rendered: string, signature: string): string {
  const paragraphs = rendered
    .split(/\n\s*\n/)
    .filter((one) => one.trim() !== '')
    .map((one) => (one.startsWith(KEPT) ? one.slice(1).replaceAll(KEPT, '\n') : wrapped(one)))
  return `${[...paragraphs, `-- \n${signature}`].join('\n\n')}\n`
}

/** The lines of a text without what a mail cannot show. */
export function writtenLines(value: unknown): readonly string[] {
  const text = String(value)
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
  return text
    .trim()
    .split('\n')
    .map((line) => line.trimEnd())
}

function wrapped(paragraph: string): string {
  const lines: string[] = []
  for (const word of paragraph.trim().split(/\s+/)) {
    const last = lines.at(-1)
    if (last === undefined || last.length + word.length >= WIDTH) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines.join('\n')
}
