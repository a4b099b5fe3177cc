/** The first line of a file: whether its titles are those of the layout. */
import { nearest } from '../../engine/index.ts'
import { headerWord, type Layout } from './layout.ts'

/** What is wrong with the titles, as a sentence; undefined when nothing is. */
export function titleFault(titles: readonly string[], { columns }: Layout, strict: boolean): string | undefined {
  const known = columns.map(({ title }) => headerWord(title))
  const given = titles.map(headerWord)
  const missing = columns.find(({ required, title }) => required && !given.includes(headerWord(title)))
  if (missing !== undefined) return `The file has no column "${missing.title}" in its first line`
  const twice = given.find((word, at) => known.includes(word) && given.indexOf(word) !== at)
  if (twice !== undefined) return `The file has the column "${columns[known.indexOf(twice)]?.title}" twice`
  const unknown = strict ? titles.find((title) => !known.includes(headerWord(title))) : undefined
  if (unknown === undefined) return undefined
  const names = columns.map(({ title }) => title)
  const found = nearest(unknown, names)
  const hint = found === undefined ? `; known are: ${names.join(', ')}` : `; did you mean "${found}"?`
  return `The file has an unknown column "${unknown.slice(0, 64)}"${hint}`
}
