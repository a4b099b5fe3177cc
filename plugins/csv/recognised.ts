/** What was recognised in a file, as the answer says it. */
import { LIMITS } from '../../engine/index.ts'
import type { Column } from './layout.ts'
import { SEPARATORS, type Sheet } from './parse.ts'
import { ENCODINGS } from './text.ts'

/** As a JSON Schema. */
export const RECOGNISED = {
  type: 'object',
  additionalProperties: false,
  required: ['encoding', 'separator', 'columns', 'left_out'],
  properties: {
    encoding: { type: 'string', enum: ENCODINGS },
    separator: { type: 'string', enum: SEPARATORS },
    columns: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'The columns that are read, each with what the file calls it.',
    },
    left_out: { type: 'array', items: { type: 'string' }, description: 'Columns of the file that are not read.' },
  },
} as const

/** What a report says about how a file was read. */
export function recognised({ columns, encoding, layout, leftOut, options, separator, titles }: Sheet) {
  const short = (title: string): string => title.slice(0, LIMITS.unknownKeyLength)
  // What stands in for another column, or fills what is created, is read for that.
  const helping = new Set(
    layout.columns.flatMap(({ create, otherwise }) => [
      ...(otherwise === undefined ? [] : [otherwise]),
      ...(create !== undefined && options.create.has(create.in) ? Object.values(create.from ?? {}) : []),
    ]),
  )
  const isRead = ({ intake, title }: Column): boolean => intake.kind !== 'ignored' || helping.has(title)
  const all = [...columns].map(([column, at]) => ({ column, title: short(titles[at] ?? '') }))
  const unread = all.filter(({ column }) => !isRead(column)).map(({ title }) => title)
  return {
    encoding,
    separator,
    columns: Object.fromEntries(
      all.filter(({ column }) => isRead(column)).map(({ column, title }) => [column.title, title]),
    ),
    left_out: [...leftOut, ...unread].slice(0, LIMITS.bodyErrors).map(short),
  }
}
