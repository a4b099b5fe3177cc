/** Plans a relation that leads to another table: the ids in its column are those of records of the table before. */
import { quoted as q } from '../filter/sql.ts'
import { obstacles } from './obstacle.ts'
import type { Pair } from './pair.ts'
import { changing, type Step } from './step.ts'
import type { ForeignKey } from './table.ts'

/** `column` is the present name of the relation's column, `before` the table that its ids come from. */
export function anotherTarget(pair: Pair, key: ForeignKey, column: string, before: string): readonly Step[] {
  const { name, columns } = pair.wanted
  const clear = columns.find((one) => one.name === key.column)?.nullable === true ? 'clear them first, or give' : 'give'
  return [
    {
      ...changing(`lead ${name}.${key.column} to ${key.table} instead of ${before}`),
      risk: 'blocked',
      ...obstacles(pair, `${q(column)} is not null`, 'now'),
      consequence: `have the id of a record of ${before}, which means another record in ${key.table}`,
      advice: `${clear} the relation another name: it then begins empty, and \`backfill: { <field>: <value> }\` says which record they get`,
    },
  ]
}
