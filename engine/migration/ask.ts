/** The answer of the database ⇄ to the question of a step: how many rows stand in its way, and which. */
import type { Runner } from '../database/database.ts'
import { quoted as q } from '../filter/sql.ts'
import { LIMITS } from '../limits.ts'
import type { Judging, Step } from './step.ts'

export interface Answer {
  readonly rows: number
  /** The keys of the first of them, where they are known. */
  readonly ids: readonly string[]
}

/** For each value the rows whose value does not fit, read a batch at a time in the order of the key. */
export async function judgedRows(runner: Runner, { table, key, values }: Judging): Promise<readonly Answer[]> {
  const found = values.map(() => ({ rows: 0, ids: [] as string[] }))
  const columns = values.map(({ sql }) => `(${sql})::text`).join(', ')
  const all = `select ${key === undefined ? 'null' : `${q(key.name)}::text`}, ${columns} from ${q(table)}`
  for (let last: string | undefined; ; ) {
    const behind = last === undefined ? '' : ` where ${q(key?.name ?? '')} > $1::${key?.type}`
    const part = key === undefined ? '' : `${behind} order by ${q(table)}.${q(key.name)} limit ${LIMITS.migrationBatch}`
    const rows = await runner.run({ text: `${all}${part}` }, last === undefined ? [] : [last])
    for (const [id, ...texts] of rows) {
      for (const [at, text] of texts.entries()) {
        if (text === null || text === undefined || values[at]!.fits(text)) continue
        found[at]!.rows += 1
        if (typeof id === 'string' && found[at]!.ids.length < LIMITS.obstaclesShown) found[at]!.ids.push(id)
      }
    }
    last = rows.at(-1)?.[0] ?? undefined
    if (key === undefined || rows.length < LIMITS.migrationBatch || last === undefined) return found
  }
}

/** Asks what a step asks; undefined where it asks nothing. */
export async function asked(runner: Runner, { examples, judging, question }: Step): Promise<Answer | undefined> {
  if (judging !== undefined) return (await judgedRows(runner, judging))[0]
  if (question === undefined) return undefined
  const [row] = await runner.run({ text: question }, [])
  const rows = Number(row?.[0] ?? 0)
  const found = rows === 0 || examples === undefined ? [] : await runner.run({ text: examples }, [])
  return { rows, ids: found.flatMap(([id]) => id ?? []) }
}
