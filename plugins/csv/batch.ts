/** ⇄ One batch of rows: read from the file, judged as far as possible without writing, then written. */
import { type FieldErrors, type Id, type PluginContext, type Resource, targetOf, turns } from '../../engine/index.ts'
import type { Column } from './columns.ts'
import { type Entry, entryOf } from './entry.ts'
import { matchNames } from './match.ts'
import type { Cell, Note, Outcome, Repeated, RowErrors } from './outcome.ts'
import { madeKey, nameParents } from './parents.ts'
import { rowsOf, type Sheet } from './parse.ts'
import { keepAhead, takenKeys } from './record-keys.ts'
import { digester, earlierRecords, noteRecords, takeTurn } from './repeat.ts'

/** Rows in one transaction, each after a savepoint: PostgreSQL keeps up to 64 of a transaction in fast memory. */
const SMALL_BATCH = 50
/**
 * Rows that one statement writes in a fraction of a second. The first batches are small, and each is as large as all
 * before it.
 */
const BATCH = 1_000
/** Characters of such rows, so that long texts don't fill the memory. */
const LENGTH = 1_048_576
/** The longest time for writing a batch, in milliseconds; after a longer one, batches become smaller. */
const LONGEST_MS = 1_000

/** A file that is being imported into a resource. */
export interface Import {
  readonly context: PluginContext
  readonly resource: Resource
  readonly sheet: Sheet
  /**
   * Keys of rows that were written, or would have been. In an import that writes they are those of the last batch;
   * earlier ones are found in the table.
   */
  readonly seen: Set<string>
  /**
   * Records that were created for rows that name them, `customers ann@desk.example`, with their ids; without an id in a
   * dry run.
   */
  readonly made: Map<string, Id | undefined>
  /** Whether all of it is one transaction that is undone at its end, so that later rows see what earlier ones wrote. */
  readonly trial: boolean
  /** The size of the next batches: as many rows as can be written in time. */
  readonly pace: { most: number }
}

/** A batch with the records found for it, before earlier batches are written. */
export interface Found {
  readonly entries: readonly Entry[]
  /** Entries with keys that no stored record has. */
  readonly fresh: readonly Entry[]
}

/** A judged batch: the entries to write, and the outcome of the others. */
export interface Judged {
  readonly entries: readonly Entry[]
  readonly good: readonly Entry[]
  readonly skipped: number
  /** The skipped entries that equal rows of earlier imports. */
  readonly repeated: Repeated
  readonly errors: readonly RowErrors[]
}

/** An import before its first batch. */
export function importOf(context: PluginContext, resource: Resource, sheet: Sheet, trial = false): Import {
  return { context, resource, sheet, trial, seen: new Set(), made: new Map(), pace: { most: BATCH } }
}

/** Whether a row's references, or a hook, may depend on earlier rows. */
function dependsOnEarlier({ catalog }: PluginContext, { hooks, table }: Resource, { columns }: Sheet): boolean {
  if (hooks.create.length > 0) return true
  return [...columns.keys()].some(
    ({ intake }) => intake.kind === 'relation' && targetOf(catalog, intake.relation).table === table,
  )
}

/**
 * The rows after the first `done` in batches, with the records found for them. The next batch is read while one is
 * written, unless rows may depend on earlier ones.
 */
export async function* batchesOf(work: Import, done: number): AsyncGenerator<Found, void> {
  const { context, resource, sheet } = work
  const depends = work.trial || dependsOnEarlier(context, resource, sheet)
  // The embedded database serves nobody else during a statement.
  const most = depends || context.database.kind === 'embedded' ? SMALL_BATCH : BATCH
  const cut = cutBatches(work, done, most)
  const next = async (): Promise<Found | undefined> => {
    const { value } = await cut.next()
    return value === undefined ? undefined : findNamed(work, value)
  }
  let ahead: Promise<Found | undefined> | undefined
  try {
    for (;;) {
      const found = await (ahead ?? next())
      if (found === undefined) return
      ahead = depends ? undefined : next()
      // When an earlier batch fails nobody awaits this one, and its failure must not end the process.
      ahead?.catch(() => undefined)
      yield found
    }
  } finally {
    await ahead?.catch(() => undefined)
    await cut.return()
  }
}

async function* cutBatches(
  { pace, sheet }: Import,
  done: number,
  most: number,
): AsyncGenerator<readonly Entry[], void> {
  let batch: Entry[] = []
  let keys = new Set<string>()
  let length = 0
  let before = 0
  const digestOf = digester()
  const giveWay = turns()
  let passed = 0
  for await (const rows of rowsOf(sheet)) {
    for (const row of rows) {
      await giveWay()
      const entry = entryOf(sheet, row)
      // Finished rows count too: equal rows have different digests.
      if (entry.key === null) entry.digest = digestOf(row)
      if (passed++ < done) continue
      const key = entry.key === null ? null : entry.key.identity
      // The second row of a key is judged when the first has been written.
      const full = Math.min(most, pace.most, Math.max(SMALL_BATCH, before))
      if (batch.length >= full || length > LENGTH || (key !== null && keys.has(key))) {
        yield batch
        before += batch.length
        batch = []
        keys = new Set()
        length = 0
      }
      batch.push(entry)
      if (key !== null) keys.add(key)
      for (const cell of row.cells) length += cell.length
    }
  }
  if (batch.length > 0) yield batch
}

/** Finds the references of the entries, and the entries that already exist. */
async function findNamed({ context, resource, sheet }: Import, entries: readonly Entry[]): Promise<Found> {
  const taken = await takenKeys(context, resource, entries)
  const fresh = taken.size === 0 ? entries : entries.filter(({ key }) => key === null || !taken.has(key.identity))
  await matchNames(context, sheet.columns.keys(), fresh)
  return { entries, fresh }
}

/** Judges which entries can be written, after earlier batches were. */
export async function judge(work: Import, { entries, fresh: found }: Found): Promise<Judged> {
  const { context, made, resource, seen, sheet } = work
  const unseen = seen.size === 0 ? found : found.filter(({ key }) => key === null || !seen.has(key.identity))
  const { fresh, repeated } = await apart(work, context, unseen)
  nameParents(context, sheet, made, fresh)
  const isGood = ({ errors }: Entry): boolean => Object.keys(errors).length === 0
  const good = fresh.filter(isGood)
  if (!sheet.options.dryRun) {
    await keepAhead(context, resource, sheet, good)
    // The next batch finds what has been written by then.
    seen.clear()
  }
  const errors = fresh.filter((entry) => !isGood(entry)).map((entry) => refused(sheet, entry, entry.errors))
  return { entries, good, skipped: entries.length - fresh.length, repeated, errors }
}

/** Separates the entries that equal rows of earlier imports. */
async function apart(
  { resource, sheet }: Import,
  context: PluginContext,
  entries: readonly Entry[],
): Promise<{ readonly fresh: readonly Entry[]; readonly repeated: Repeated }> {
  const earlier = sheet.options.again ? new Map<string, Id>() : await earlierRecords(context, resource, entries)
  const rows = entries.flatMap(({ digest, line }) => {
    const id = earlier.get(digest ?? '')
    return id === undefined ? [] : [{ row: line, id }]
  })
  const fresh = rows.length === 0 ? entries : entries.filter(({ digest }) => !earlier.has(digest ?? ''))
  return { fresh, repeated: { count: rows.length, rows } }
}

/** Writes a judged batch through `context`, in its transaction if it has one; rejects when the database fails. */
export async function write(work: Import, context: PluginContext, judged: Judged): Promise<Outcome> {
  if (!notesRows(work, judged)) return writeThose(work, context, judged)
  const { resource } = work
  await takeTurn(context, resource)
  // Another import of the same rows may have been faster.
  const { fresh, repeated } = await apart(work, context, judged.good)
  const [skipped, before] = [judged.skipped + repeated.count, judged.repeated]
  const both = { count: before.count + repeated.count, rows: [...before.rows, ...repeated.rows] }
  const outcome = await writeThose(work, context, { ...judged, good: fresh, skipped, repeated: both })
  await noteRecords(context, resource, outcome.nameless)
  return outcome
}

/** Writes rows without a key, and notes them so that later imports know them: in one transaction. */
export function notesRows({ sheet }: Import, { good }: Judged): boolean {
  return !sheet.options.dryRun && good.some(({ digest }) => digest !== null)
}

interface Written extends Outcome {
  /** The records that were made of rows without a key. */
  readonly nameless: readonly { readonly digest: string; readonly id: Id }[]
}

async function writeThose(
  { made, pace, resource, seen, sheet, trial }: Import,
  context: PluginContext,
  { good, skipped, repeated, errors }: Judged,
): Promise<Written> {
  const { dryRun } = sheet.options
  const began = performance.now()
  const outcomes =
    good.length === 0
      ? []
      : await context.records(resource.name).createEach(good, { dryRun: dryRun && !trial, only: 'id' })
  const inTime = (good.length * LONGEST_MS) / (performance.now() - began)
  if (good.length > 0) pace.most = Math.round(Math.min(BATCH, Math.max(SMALL_BATCH, inTime)))
  const ids: Id[] = []
  const failed: RowErrors[] = [...errors]
  const created: Record<string, { count: number; names: string[] }> = {}
  const notes: Note[] = []
  const nameless: { digest: string; id: Id }[] = []
  let imported = 0
  outcomes.forEach((outcome, at) => {
    const entry = good[at]!
    if ('error' in outcome)
      failed.push(refused(sheet, entry, outcome.error.params.errors ?? { row: [outcome.error.message] }))
    else {
      imported++
      if (entry.key !== null) seen.add(entry.key.identity)
      const id = outcome.record.id as Id
      if (!dryRun) ids.push(id)
      if (entry.digest !== null) nameless.push({ digest: entry.digest, id })
      notes.push(...notesOf(sheet, entry))
      for (const parent of entry.parents) {
        const parentId = outcome.made[parent.field]
        if (parentId === undefined || made.has(madeKey(parent))) continue
        made.set(madeKey(parent), dryRun && !trial ? undefined : parentId)
        const sum = created[parent.resource] ?? { count: 0, names: [] }
        created[parent.resource] = sum
        sum.count++
        sum.names.push(parent.shown)
      }
    }
  })
  return { imported, skipped, repeated, failed: failed.length, ids, errors: failed, created, notes, nameless }
}

function speaksOf({ field, intake }: Column, name: string | undefined): boolean {
  if (intake.kind === 'child') return intake.relation.name === name
  return field.name === name || (intake.kind === 'words' && intake.fields.some((one) => one.name === name))
}

/** Characters of a cell that are shown with its error. */
const TOLD_LENGTH = 100

/** The report on a written row that lost something. */
function notesOf(sheet: Sheet, { line, notes }: Entry): readonly Note[] {
  const placed = [...notes].map(([column, note]) => ({ at: sheet.columns.get(column) ?? -1, column, note }))
  return placed
    .sort((a, b) => a.at - b.at)
    .map(({ at, column, note }) => ({ row: line, column: sheet.titles[at] ?? column.title, note }))
}

/** The report on a row that was not written. */
export function refused(sheet: Sheet, { key, line, said, texts }: Entry, found: FieldErrors): RowErrors {
  const errors = Object.fromEntries(Object.entries(found).map(([name, sentences]) => [name, said[name] ?? sentences]))
  const cells: Record<string, Cell> = {}
  for (const name of Object.keys(errors)) {
    const [own, nth] = name.split('.')
    const spoken = [...texts].filter(
      ([one, text]) => speaksOf(one, own) && (one.intake.kind !== 'child' || text !== ''),
    )
    const [column] = spoken[Number(nth)] ?? spoken[0] ?? []
    const at = column && sheet.columns.get(column)
    if (column === undefined || at === undefined) continue
    cells[name] = {
      column: sheet.titles[at] ?? column.title,
      value: [...texts.get(column)!].slice(0, TOLD_LENGTH).join(''),
    }
  }
  return { row: line, uid: key?.value ?? null, errors, cells }
}
