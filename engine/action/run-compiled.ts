/** ⇄ Runs a compiled statement with the values of one request. */
import type { Row } from '../database/database.ts'
import { type Compiled, parameterValues } from '../query/compiled.ts'
import type { Execution } from './execution.ts'

/** The rows of a statement; with `replan` it is planned for these very values. */
export function runCompiled(
  { actor, adhoc, now, runner }: Execution,
  { parameters, statement }: Compiled,
  slots: Readonly<Record<string, unknown>>,
  replan = false,
): Promise<readonly Row[]> {
  const values = parameterValues(parameters, { actor, now: now(), slots })
  return replan ? adhoc.run({ text: statement.text }, values) : runner.run(statement, values)
}
