/** The learner: what one process knows from the desk's settled tickets, updated from the database at each use. ⇄ */
import { type Database, keptIdSql, memo, type PluginContext, type Row, turns } from '../../../engine/index.ts'
import { figuresOf } from '../tickets/figures.ts'
import { type Calibration, calibrate, UNMEASURED } from './calibration.ts'
import { createModel, type Example, type Model, TARGETS } from './model.ts'
import { featuresOf } from './words.ts'

export interface Learned {
  readonly model: Model
  readonly calibration: Calibration
  /** The time of the last look at the database. */
  readonly at: Date
}

type Reading = Pick<PluginContext, 'catalog' | 'database' | 'now'>

/** The newest settled tickets count; older ones say less about today. */
const MOST_EXAMPLES = 20_000
const BATCH = 200
/** The greatest age of knowledge at its use, in milliseconds. */
const FRESH_MS = 250
/** A write is stamped at its beginning and visible at its commit: tickets are read again this far back. */
const OVERLAP_SECONDS = 90

interface State {
  readonly model: Model
  /** The stamp of each ticket at its last reading, so that an unchanged one is not learned twice. */
  readonly stamps: Map<number, string>
  calibration: Calibration
  since: string | undefined
  /** The last look at the database: for answers, and by the monotonic clock for comparisons. */
  looked: Date
  lookedAt: number
  running: Promise<Learned> | undefined
}

const stateOf = memo(
  (_: Database): State => ({
    model: createModel(),
    stamps: new Map(),
    calibration: UNMEASURED,
    since: undefined,
    looked: new Date(0),
    lookedAt: 0,
    running: undefined,
  }),
)

/**
 * The present knowledge, at most a quarter of a second old; the first call reads the desk's settled tickets in batches.
 */
export function learned(context: Reading): Promise<Learned> {
  const known = stateOf(context.database)
  if (known.running !== undefined) return known.running
  if (performance.now() - known.lookedAt < FRESH_MS && known.since !== undefined)
    return Promise.resolve(learnedBy(known))
  known.running = catchUp(context, known).finally(() => {
    known.running = undefined
  })
  return known.running
}

function learnedBy({ calibration, looked, model }: State): Learned {
  return { model, calibration, at: looked }
}

/** Reads the changes since the last look; rows come in batches, so that other work gets its turn. */
async function catchUp(context: Reading, state: State): Promise<Learned> {
  const giveWay = turns()
  const [looked, lookedAt] = [new Date(), performance.now()]
  const begun = await moment(context, state)
  let changes = 0
  let after: readonly [string, number] = [begun, 0]
  for (;;) {
    const rows = await changed(context, after)
    for (const row of rows) {
      if (take(state, row)) changes += 1
      await giveWay()
    }
    const last = rows.at(-1)
    if (last === undefined) break
    after = [last[1] ?? begun, Number(last[0])]
    if (rows.length < BATCH) break
  }
  for (const id of await removed(context, begun)) changes += drop(state, id)
  // PostgreSQL writes times so that their texts sort by time.
  if (state.since === undefined || after[0] > state.since) state.since = after[0]
  state.looked = looked
  state.lookedAt = lookedAt
  if (changes > 0) state.calibration = await calibrate(state.model, giveWay)
  return learnedBy(state)
}

/** Where to continue: the overlap before the last row, or the beginning of the newest settled tickets. */
async function moment({ catalog, database }: Reading, state: State): Promise<string> {
  if (state.since !== undefined) {
    const [row] = await database.adhoc.run(
      { text: `select ($1::timestamptz - interval '${OVERLAP_SECONDS} seconds')::text` },
      [state.since],
    )
    return row?.[0] ?? state.since
  }
  const tickets = catalog.resources.get('tickets')!.table
  const [row] = await database.adhoc.run(
    { text: `select updated_at::text from "${tickets}" order by updated_at desc offset ${MOST_EXAMPLES} limit 1` },
    [],
  )
  return row?.[0] ?? '1900-01-01 00:00:00+00'
}

/**
 * Whether staff answered, opened, labelled or closed a ticket: it teaches nothing if only customers chose and closed,
 * or this classifier applied the labels.
 */
function staffed(catalog: Reading['catalog']): string {
  const answered = 't.first_response_at is not null'
  const tickets = catalog.resources.get('tickets')!
  if (tickets.keys.activity !== true) return answered
  const table = (name: string): string => `"${catalog.resources.get(name)!.table}"`
  const fields = [...TARGETS.map((target) => `${target}_id`), 'status_id'].map((field) => `'${field}'`).join(', ')
  return `(${answered} or exists (select 1 from plinth_change a
    join ${table('users')} u on u.id = a.actor_id join ${table('roles')} r on r.id = u.role_id
    where a.resource = 'tickets' and a.record_id = ${keptIdSql(catalog, tickets, 't')} and r.slug <> '${customerRole(catalog)}'
      and (a.action = 'create' or exists (select 1 from jsonb_array_elements(a.changes) c where c ->> 'field' in (${fields})))))`
}

/** The role of customers: the lowest of the built-in ones. */
function customerRole(catalog: Reading['catalog']): string {
  const roles = catalog.pluginOptions.get('auth')?.roles
  return String((Array.isArray(roles) ? roles.at(-1) : undefined) ?? 'customer').replaceAll("'", "''")
}

const changed = ({ catalog, database }: Reading, [moment, id]: readonly [string, number]): Promise<readonly Row[]> => {
  const table = (name: string): string => catalog.resources.get(name)!.table
  const text = `select t.id, t.updated_at::text,
    (${figuresOf(catalog).closed} and t.deleted_at is null and ${staffed(catalog)})::text,
    t.subject || E'\\n' || left(t.details, 6000), t.priority_id, t.category_id, t.department_id, t.type_id
    from "${table('tickets')}" t
    where (t.updated_at, t.id) > ($1::timestamptz, $2::integer)
    order by t.updated_at, t.id limit ${BATCH}`
  return database.adhoc.run({ text }, [moment, id])
}

/** Tickets deleted since a moment: a delete does not change the time of the last change. */
async function removed({ catalog, database }: Reading, moment: string): Promise<readonly number[]> {
  const tickets = catalog.resources.get('tickets')!.table
  const rows = await database.adhoc.run(
    { text: `select id from "${tickets}" where deleted_at is not null and deleted_at >= $1::timestamptz` },
    [moment],
  )
  return rows.map(([id]) => Number(id))
}

/** Learns or forgets one row; returns whether that changed anything. */
function take(state: State, row: Row): boolean {
  const { model, stamps } = state
  const id = Number(row[0])
  const stamp = row[1] ?? ''
  if (row[2] !== 'true') return drop(state, id) > 0
  if (stamps.get(id) === stamp) return false
  model.learn(exampleOf(id, row[3] ?? '', row.slice(4)))
  stamps.delete(id)
  stamps.set(id, stamp)
  if (stamps.size > MOST_EXAMPLES) drop(state, stamps.keys().next().value ?? id)
  return true
}

function drop({ model, stamps }: State, id: number): number {
  if (!stamps.delete(id)) return 0
  model.forget(id)
  return 1
}

/** An example from a text and its four labels from PostgreSQL, in the order of the targets. */
export function exampleOf(id: number, text: string, labels: Row): Example {
  const label = (at: number): number | null => (labels[at] == null ? null : Number(labels[at]))
  return {
    id,
    features: featuresOf(text),
    labels: { priority: label(0), category: label(1), department: label(2), type: label(3) },
  }
}
