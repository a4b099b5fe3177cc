/** Rows that stand in the way of a step: how many there are, and which. */
import { quoted as q } from '../filter/sql.ts'
import { LIMITS } from '../limits.ts'
import { futureRows } from './future.ts'
import type { Pair } from './pair.ts'
import type { Step } from './step.ts'

type Questions = Required<Pick<Step, 'question'>> & Pick<Step, 'examples'>

/** The rows of a table as they are now, as the plan will leave them, or as that before null becomes something. */
type Asked = 'now' | 'future' | 'unfilled'

/** The questions about the rows of a table for which a condition holds. */
export function obstacles(pair: Pair, where: string, asked: Asked = 'future'): Questions {
  const rows = asked === 'now' ? q(pair.actual.name) : futureRows(pair, asked === 'unfilled')
  const question = `select count(*) from ${rows} t where ${where}`
  const [key, ...others] = (asked === 'now' ? pair.actual : pair.wanted).primaryKey
  if (key === undefined || others.length > 0) return { question }
  // The bare name would be that of the text.
  const examples = `select ${q(key)}::text from ${rows} t where ${where} order by t.${q(key)} limit ${LIMITS.obstaclesShown}`
  return { question, examples }
}
