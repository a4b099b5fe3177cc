/** Pages with tables that are made from the code: each is between two marks, under its name. */

const OPENS = /^<!-- made by npm run docs: (.+) -->$/
const CLOSES = '<!-- end -->'

/** The page with its tables as they are now; throws where a mark names no table or is not closed. */
export function filled(page: string, tables: Readonly<Record<string, () => string>>): string {
  const lines = page.split('\n')
  const made: string[] = []
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    made.push(line)
    const name = OPENS.exec(line)?.[1]
    if (name === undefined) continue
    const make = tables[name]
    if (make === undefined) throw new Error(`There is no table "${name}"`)
    const end = lines.indexOf(CLOSES, at)
    if (end < 0) throw new Error(`The table "${name}" has no end`)
    made.push('', make(), '', CLOSES)
    at = end
  }
  return made.join('\n')
}

/** The names of the tables that a page has. */
export function tablesIn(page: string): readonly string[] {
  return page.split('\n').flatMap((line) => OPENS.exec(line)?.[1] ?? [])
}
