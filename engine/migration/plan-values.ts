/** Plans that a field allows other values than before: words of an enum that go, and rules that became narrower. */
import { quoted as q } from '../filter/sql.ts'
import { obstacles, replacing } from './future-rows.ts'
import { type Circumstances, isSettled, type Pair } from './pair.ts'
import { batchesOf } from './plan-required.ts'
import { copying } from './plan-type.ts'
import { quoteText } from './sql-name.ts'
import { asking, type Concern, changing, keyOf, type Step } from './step.ts'
import type { Column, Judge } from './table.ts'
import { typeChange } from './type-change.ts'

/** Words that rows may still hold: those that the enum had last, and those for which it names another. */
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

/** Replaces the words by a second column while the version before is served; all at once where that cannot be. */
function moving(
  pair: Pair,
  column: Column,
  was: Column,
  becomes: readonly (readonly [string, string])[],
  circumstances: Circumstances,
): Pick<Step, 'work' | 'renames'> {
  const value = replacing(column, becomes)
  const where = holding(
    column,
    column.name,
    becomes.map(([word]) => word),
  )
  if (!isSettled(pair, [column.name]) || batchesOf(pair, column.name, { value, where }) === undefined)
    return {
      work: {
        kind: 'harmful',
        sql: [`update ${q(pair.wanted.name)} set ${q(column.name)} = ${value} where ${where}`],
      },
    }
  return copying(pair, column, was, { kind: 'free', using: value }, circumstances, true)
}

/** Each word that rows may still hold, with the one that replaces it. */
function movedWords(
  pair: Pair,
  column: Column,
  was: Column,
  circumstances: Circumstances,
): readonly (readonly [string, string])[] {
  return formerWords(pair, column, was, circumstances).flatMap((word): (readonly [string, string])[] => {
    const next = column.becomes?.[word]
    return next === undefined ? [] : [[word, next]]
  })
}

/** SQL that counts the rows in which words are replaced; undefined where no word is. */
export function wordsMoved(pair: Pair, column: Column, was: Column, circumstances: Circumstances): string | undefined {
  const words = movedWords(pair, column, was, circumstances).map(([word]) => word)
  return words.length === 0 ? undefined : obstacles(pair, holding(column, was.name, words), 'now').question
}

/** Rows with a word that the enum no longer has: the YAML names the word that replaces it, or they are in the way. */
export function takingWords(pair: Pair, column: Column, was: Column, circumstances: Circumstances): readonly Step[] {
  const former = formerWords(pair, column, was, circumstances)
  if (former.length === 0) return foreignValues(pair, column, was, circumstances)
  const becomes = movedWords(pair, column, was, circumstances)
  const moved = becomes.map(([word]) => word)
  const gone = former.filter((word) => !moved.includes(word))
  const move: Step = {
    ...changing(
      `change ${becomes.map(([from, to]) => `${from} to ${to}`).join(', ')} in ${pair.wanted.name}.${column.name}`,
    ),
    ...moving(pair, column, was, becomes, circumstances),
    concern: {
      kind: 'counted',
      question: obstacles(pair, holding(column, was.name, moved), 'now').question,
      unit: 'changed row',
      onlyWithRows: true,
    },
  }
  const refuse = asking(nameWords(gone, pair, column), 'changes', {
    kind: 'obstacle',
    ...obstacles(pair, holding(column, was.name, gone), 'now'),
    consequence: `have ${gone.length === 1 ? `the word ${gone[0]}` : 'one of these words'}`,
    advice: `write which word takes its place beside the values, \`becomes: { ${gone[0]}: ${column.words?.[0]} }\`; or keep the word`,
  })
  return [
    ...foreignValues(pair, column, was, circumstances),
    ...(moved.length ? [move] : []),
    ...(gone.length ? [refuse] : []),
  ]
}

/** Values that are none of the words of a new enum. */
function foreignValues(pair: Pair, column: Column, was: Column, { present }: Circumstances): readonly Step[] {
  const { actual, aside, wanted } = pair
  const isText = was.type === column.type || typeChange(was.name, was.type, 'text').kind === 'free'
  if (!isText || column.words === undefined || column.type === 'jsonb') return []
  if (present.history.words[`${actual.name}.${was.name}`] !== undefined) return []
  if (!present.owned.get(actual.name)?.has(was.name) && was !== aside.get(column.name)) return []
  const known = [...column.words, ...Object.keys(column.becomes ?? {})]
  return [
    asking(`keep to the words of ${wanted.name}.${column.name}`, 'changes', {
      kind: 'obstacle',
      ...obstacles(pair, `${q(was.name)} is not null and not (${holding(column, was.name, known)})`, 'now'),
      consequence: 'have a value that is none of them',
      advice: 'add the words, or write which one takes the place of each, `becomes: { <value>: <word> }`',
    }),
  ]
}

/** Whether values that were allowed before may be refused now; unknown, so false, before a version has kept its meanings. */
function isOther(pair: Pair, column: Column, was: Column, judge: Judge, { present }: Circumstances): boolean {
  const name = was === pair.aside.get(column.name) ? column.name : was.name
  if (was.type !== column.type) return judge.mark !== undefined || was.type === 'text'
  const { meanings } = present
  return (
    meanings !== undefined && judge.mark !== undefined && meanings.columns[`${pair.actual.name}.${name}`] !== judge.mark
  )
}

/** SQL of a value in its new type; null for one without a meaning there, which has a step of its own. */
function valueSql(column: Column, was: Column): string | undefined {
  if (was.type === column.type) return q(was.name)
  const change = typeChange(was.name, was.type, column.type)
  if (change.kind === 'apart') return undefined
  return change.kind === 'checked' ? `case when not (${change.misfit}) then ${change.using} end` : change.using
}

/** Values that the field no longer allows: a list could not be read; another value stays until a person changes it. */
export function narrowing(pair: Pair, column: Column, was: Column, circumstances: Circumstances): readonly Step[] {
  const { judge } = column
  if (judge === undefined || judge.kind === 'words' || was.generated !== undefined) return []
  const sql = valueSql(column, was)
  if (sql === undefined || !isOther(pair, column, was, judge, circumstances)) return []
  const name = `${pair.wanted.name}.${column.name}`
  // Words that go have a step of their own.
  const former = formerWords(pair, column, was, circumstances)
  const fits = (text: string) => judge.fits(text, former)
  const judging = { table: pair.actual.name, key: keyOf(pair.actual), values: [{ sql, fits }] }
  const consequence = 'have a value that the field no longer allows'
  const concern: Concern =
    judge.kind === 'value'
      ? {
          kind: 'loss',
          judging,
          consequence: `${consequence}; they stay as they are until they are changed`,
          advice: '`plinth check --data` lists them',
        }
      : {
          kind: 'obstacle',
          judging,
          consequence,
          advice: 'correct those values first, or give the field another name',
        }
  return [asking(`allow in ${name} what the field says now`, 'changes', concern)]
}
