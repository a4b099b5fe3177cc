/** The parts of foreign texts that a terminal may show: names of files and of tables, addresses, messages of servers. */

/** Controls, changes of direction, and what shows nothing; a terminal would obey the first and hide the rest. */
const UNSEEN = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu

/** One line of text: tabs as two spaces, and a dot for each character that is not seen, a line break too. */
export function visible(text: string): string {
  return text.replace(/\t/g, '  ').replace(UNSEEN, (unit) => (unit === '\r' ? '' : '·'))
}

const ESCAPE = '\u001b'
/** The colours of our own. */
const PAINTED = new RegExp(`(${ESCAPE}\\[(?:0|1|2|31|32|33)m)`)

/** Everything that a command prints: lines, tabs and, where there are any, our own colours stay; a dot takes the place of any other control. */
export function printable(text: string, color = false): string {
  const plain = (part: string) => part.replace(/[^\P{Cc}\n\t]/gu, (unit) => (unit === '\r' ? '' : '·'))
  if (!color) return plain(text)
  return text
    .split(PAINTED)
    .map((part, at) => (at % 2 === 1 ? part : plain(part)))
    .join('')
}
