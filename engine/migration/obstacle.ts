/** Rows that stand in the way of a step: how many there are, and which. */
import { quoted as q } from '../filter/sql.ts'
import { LIMITS } from '../limits.ts'
import { futureRows } from './future.ts'
import type { Pair } from './pair.ts'
import type { Step } from './step.ts'

type Questions = Required<Pick<Step, 'question'>> & Pick<Step, 'examples'>

/** The questions about the rows of a table, as it is now, for which a condition holds. */
export function obstacles({ actual }: Pair, where: string): Questions {
  return asked(q(actual.name), actual.primaryKey, where)
}

/** The same about its rows as the plan will leave them, or as they are before null becomes something. */
export function futureObstacles(pair: Pair, where: string, unfilled = false): Questions {
  return asked(futureRows(pair, unfilled), pair.wanted.primaryKey, where)
}

function asked(rows: string, primaryKey: readonly string[], where: string): Questions {
  const question = `select count(*) from ${rows} t where ${where}`
  const [key, ...others] = primaryKey
  if (key === undefined || others.length > 0) return { question }
  // The bare name would be that of the text.
  const examples = `select ${q(key)}::text from ${rows} t where ${where} order by t.${q(key)} limit ${LIMITS.obstaclesShown}`
  return { question, examples }
}
