/** What a statement costs the database, by EXPLAIN of the statement itself; nothing that it writes stays. */
import pg from 'pg'
import type { Recorded } from './recorded.ts'

export interface Explained {
  readonly text: string
  /** The shortest of several runs. */
  readonly ms: number
  /** Pages of 8 KB that were looked at, from memory or from the disk. */
  readonly pages: number
  /** A line for each node of the plan that did anything. */
  readonly plan: string
}

/** A node as PostgreSQL tells it in JSON. */
interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly Node[]
}

interface Run {
  readonly Plan: Node
  readonly 'Execution Time': number
}

/** Runs of each statement, of which the shortest counts: other work on the machine only makes them longer. */
const RUNS = 5

const SESSION = "set jit = off; set timezone = 'UTC'; set datestyle = 'ISO'"

/** The cost of each statement that reads or writes rows, in their order. */
export async function explainAll(admin: pg.Client, statements: readonly Recorded[]): Promise<readonly Explained[]> {
  await admin.query(SESSION)
  const explained: Explained[] = []
  for (const statement of statements)
    if (/^\s*(select|with|insert|update|delete)\b/i.test(statement.text))
      explained.push(await explain(admin, statement))
  return explained
}

/** The version of a row that an update asks for: it is another one by now, and the statement would find nothing. */
const VERSION = /t\.xmin::text = (\$\d+::text)/g

async function explain(admin: pg.Client, { generic, text, values }: Recorded): Promise<Explained> {
  const given = values.map((value) => (value === null ? 'null' : pg.escapeLiteral(value))).join(', ')
  await admin.query(`set plan_cache_mode = ${generic ? 'force_generic_plan' : 'force_custom_plan'}`)
  await admin.query(`prepare measured as ${text.replace(VERSION, '$1 is not null')}`)
  const runs: Run[] = []
  try {
    for (let run = 0; run < RUNS; run += 1) runs.push(await once(admin, given))
  } finally {
    await admin.query('deallocate measured')
  }
  const { Plan: root } = runs.at(-1)!
  const ms = Math.min(...runs.map((run) => run['Execution Time']))
  // The last run finds the catalogs in the memory of the session.
  return { text, ms, pages: pagesOf(root), plan: linesOf(root, 2).join('\n') }
}

async function once(admin: pg.Client, given: string): Promise<Run> {
  await admin.query('begin')
  try {
    const { rows } = await admin.query<{ 'QUERY PLAN': readonly Run[] }>(
      `explain (analyze, buffers, timing off, format json) execute measured${given === '' ? '' : `(${given})`}`,
    )
    return rows[0]!['QUERY PLAN'][0]!
  } finally {
    await admin.query('rollback')
  }
}

function pagesOf(node: Node): number {
  return node['Shared Hit Blocks'] + node['Shared Read Blocks']
}

function linesOf(node: Node, depth: number): readonly string[] {
  const where = [node['Relation Name'], node['Index Name']].filter((name) => name !== undefined).join(' by ')
  const rows = Math.round(node['Actual Rows'] * node['Actual Loops'])
  const line = `${' '.repeat(depth)}${node['Node Type']}${where && ` ${where}`}: ${rows} rows, ${pagesOf(node)} pages`
  const below = (node.Plans ?? []).flatMap((one) => linesOf(one, depth + 2))
  return rows === 0 && pagesOf(node) === 0 ? below : [line, ...below]
}
