/** Plans what rows that are there get instead of null. */
import { quoted as q } from '../filter/sql.ts'
import { updateOf } from './batches.ts'
import { obstacles } from './obstacle.ts'
import { isNew, type Pair } from './pair.ts'
import { type Batches, type Command, changing, type Step } from './step.ts'
import type { Column } from './table.ts'

/** The rows of a table by its key, for commands that change them in batches; undefined where it has no single key. */
export function batchesOf(
  { wanted, actual }: Pair,
  column: string,
  change: Pick<Batches, 'value' | 'where' | 'mark' | 'inOrder'>,
): Command | undefined {
  const [key, ...others] = wanted.primaryKey
  const keyType = actual.columns.find(({ name }) => name === actual.primaryKey[0])?.type
  if (key === undefined || keyType === undefined || others.length > 0) return undefined
  return { batches: { table: wanted.name, key, keyType, column, ...change } }
}

/** Changes all rows at once where a table has no key to go by. */
export function filling(
  pair: Pair,
  column: string,
  change: Pick<Batches, 'value' | 'where' | 'mark' | 'inOrder'>,
): Command {
  return (
    batchesOf(pair, column, change) ??
    `${updateOf({ table: pair.wanted.name, column, ...change })} where ${change.where}`
  )
}

/** Rows for which an expression of the YAML has no value, or none that the column can hold. */
export function findingValues(pair: Pair, column: Column, was: Column | undefined): readonly Step[] {
  if (column.fillReads === undefined || column.fill === undefined) return []
  return [
    {
      ...changing(`find a value for ${pair.wanted.name}.${column.name}`),
      risk: 'blocked',
      effect: was === undefined || isNew(pair, column) ? 'adds' : 'changes',
      ...obstacles(pair, `${q(column.name)} is null`),
      consequence: 'get no value by backfill that the field can hold',
      advice:
        column.fillTable === undefined
          ? 'give a second value, such as `backfill: { first: [$record.<field>, <value>] }`, or correct those records'
          : `name a record of ${column.fillTable} that is there`,
    },
  ]
}

/** What to write so that the rows that are there get a value. */
export function backfillAdvice({ wanted }: Pair, column: Column): string {
  const isReference = wanted.foreignKeys.some((key) => key.column === column.name)
  if (isReference)
    return '`backfill: { <field>: <value> }` beside the relation says which record they get; or leave `required` away'
  return '`backfill: <value>` beside the field says what they get, `backfill: $record.<field>` the value of another field; or leave it nullable'
}
