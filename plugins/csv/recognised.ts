/** What was recognised in a file, as the answer says it. */
import { LIMITS } from '../../engine/index.ts'
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
export function recognised({ columns, encoding, leftOut, separator, titles }: Sheet) {
  const short = (title: string): string => title.slice(0, LIMITS.unknownKeyLength)
  return {
    encoding,
    separator,
    columns: Object.fromEntries([...columns].map(([{ title }, at]) => [title, short(titles[at] ?? '')])),
    left_out: leftOut.slice(0, LIMITS.bodyErrors).map(short),
  }
}
