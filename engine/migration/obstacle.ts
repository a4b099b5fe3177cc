/** Rows that stand in the way of a step: how many there are, and which. */
import { quoted as q } from '../filter/sql.ts'
import { LIMITS } from '../limits.ts'
import type { Pair } from './pair.ts'
import type { Step } from './step.ts'

/** The questions about the rows of a table, as it is now, for which a condition holds. */
export function obstacles({ actual }: Pair, where: string): Required<Pick<Step, 'question'>> & Pick<Step, 'examples'> {
  const question = `select count(*) from ${q(actual.name)} where ${where}`
  const [key, ...others] = actual.primaryKey
  if (key === undefined || others.length > 0) return { question }
  const examples = `select ${q(key)}::text from ${q(actual.name)} where ${where} order by ${q(key)} limit ${LIMITS.obstaclesShown}`
  return { question, examples }
}
