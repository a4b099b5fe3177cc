/** Plans what rows that are there get instead of null, and instead of words that an enum has no longer. */
import { quoted as q } from '../filter/sql.ts'
import { replacing } from './future.ts'
import { quoteText } from './name.ts'
import { futureObstacles, obstacles } from './obstacle.ts'
import { type Circumstances, isNew, isSettled, type Pair } from './pair.ts'
import { type Batches, type Command, changing, type Step } from './step.ts'
import type { Column } from './table.ts'

/** The rows of a table by its key, for commands that change them in batches; undefined where it has no single key. */
export function batchesOf(
  { wanted, actual }: Pair,
  column: string,
  change: Pick<Batches, 'value' | 'where'>,
): Command | undefined {
  const [key, ...others] = wanted.primaryKey
  const keyType = actual.columns.find(({ name }) => name === actual.primaryKey[0])?.type
  if (key === undefined || keyType === undefined || others.length > 0) return undefined
  return { batches: { table: wanted.name, key, keyType, column, ...change } }
}

/** Changes all rows at once where a table has no key to go by. */
export function filling(pair: Pair, column: string, change: Pick<Batches, 'value' | 'where'>): Command {
  const all = `update ${q(pair.wanted.name)} set ${q(column)} = ${change.value} where ${change.where}`
  return batchesOf(pair, column, change) ?? all
}

/** Rows for which an expression of the YAML has no value, or none that the column can hold. */
export function findingValues(pair: Pair, column: Column, was: Column | undefined): readonly Step[] {
  if (column.fillReads === undefined || column.fill === undefined) return []
  return [
    {
      ...changing(`find a value for ${pair.wanted.name}.${column.name}`),
      risk: 'blocked',
      effect: was === undefined || isNew(pair, column) ? 'adds' : 'changes',
      ...futureObstacles(pair, `${q(column.name)} is null`),
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

/** Words that rows may hold still: those that the enum had last, and those for which it names another. */
function formerWords({ actual }: Pair, column: Column, was: Column, { present }: Circumstances): readonly string[] {
  const { words } = column
  if (words === undefined) return []
  const before = present.history.words[`${actual.name}.${was.name}`] ?? []
  const former = new Set([...before, ...Object.keys(column.becomes ?? {})])
  return [...former].filter((word) => !words.includes(word))
}

function holding(column: Column, name: string, words: readonly string[]): string {
  const list = `array[${words.map(quoteText).join(', ')}]::text[]`
  if (column.type !== 'jsonb') return `${q(name)}::text = any(${list})`
  return `case when jsonb_typeof(${q(name)}) = 'array' then ${q(name)} ?| ${list} else false end`
}

function nameWords(words: readonly string[], pair: Pair, column: Column): string {
  return `take ${words.join(', ')} out of the words of ${pair.wanted.name}.${column.name}`
}

/** Rows that hold a word which the YAML took out of an enum: it says which word takes its place, or they stand in the way. */
export function takingWords(pair: Pair, column: Column, was: Column, circumstances: Circumstances): readonly Step[] {
  const former = formerWords(pair, column, was, circumstances)
  if (former.length === 0) return strangers(pair, column, was, circumstances)
  const becomes = former.flatMap((word): (readonly [string, string])[] => {
    const next = column.becomes?.[word]
    return next === undefined ? [] : [[word, next]]
  })
  const moved = becomes.map(([word]) => word)
  const gone = former.filter((word) => !moved.includes(word))
  const change = { value: replacing(column, becomes), where: holding(column, column.name, moved) }
  const move: Step = {
    ...changing(
      `change ${becomes.map(([from, to]) => `${from} to ${to}`).join(', ')} in ${pair.wanted.name}.${column.name}`,
    ),
    // Most of them while a version that may write the old word is served, the rest when none is.
    sql: moved.length === 0 ? [] : [filling(pair, column.name, change), filling(pair, column.name, change)],
    harmless: 1,
    online: true,
    ...(isSettled(pair, [column.name]) ? { ahead: true as const } : {}),
    question: obstacles(pair, holding(column, was.name, moved)).question,
    tally: 'changed row',
    onlyWithRows: true,
  }
  const refuse: Step = {
    ...changing(nameWords(gone, pair, column)),
    risk: 'blocked',
    ...obstacles(pair, holding(column, was.name, gone)),
    consequence: `have ${gone.length === 1 ? `the word ${gone[0]}` : 'one of these words'}`,
    advice: `write which word takes its place beside the values, \`becomes: { ${gone[0]}: ${column.words?.[0]} }\`; or keep the word`,
  }
  return [
    ...strangers(pair, column, was, circumstances),
    ...(moved.length ? [move] : []),
    ...(gone.length ? [refuse] : []),
  ]
}

/** Values of a text that becomes an enum, where they are none of its words. */
function strangers(pair: Pair, column: Column, was: Column, { present }: Circumstances): readonly Step[] {
  const { actual, wanted } = pair
  const isText = was.type === 'text' || was.type.startsWith('character varying')
  if (!isText || column.words === undefined || column.type === 'jsonb') return []
  if (present.history.words[`${actual.name}.${was.name}`] !== undefined) return []
  if (!present.owned.get(actual.name)?.has(was.name)) return []
  const known = [...column.words, ...Object.keys(column.becomes ?? {})]
  return [
    {
      ...changing(`keep to the words of ${wanted.name}.${column.name}`),
      risk: 'blocked',
      ...obstacles(pair, `${q(was.name)} is not null and not (${holding(column, was.name, known)})`),
      consequence: 'have a value that is none of them',
      advice: 'add the words, or write which one takes the place of each, `becomes: { <value>: <word> }`',
    },
  ]
}
