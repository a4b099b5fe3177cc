/** What is done to the chosen records of a list, and the way back. */
import { Refusal, sentence } from '../client/api.ts'
import { idOf, type Named, type RecordData, type Resource, titleOf } from '../client/catalog.ts'
import {
  type Chosen,
  type Doing,
  doMany,
  type Outcome,
  type Refused,
  readMatching,
  writeMatching,
} from '../client/many.ts'
import { type Notice, notify } from '../client/notices.ts'
import type { Pages } from '../client/pages.ts'
import { fieldsFor } from '../client/screens.ts'
import { takeBack } from '../client/undo.ts'
import { type Input, wayBack } from '../form/draft.ts'
import { countText } from '../format.tsx'
import { words } from '../words/words.ts'
import type { Selection } from './selection.ts'

/** With more records nobody can say any more what was there before. */
export const MOST = 10_000

/** The records that an act reaches: the chosen rows, or all that the query of the list finds. */
export interface Reach {
  readonly named: Named
  readonly pages: Pages
  readonly selection: Selection
  readonly all: Chosen
}

export interface Act {
  readonly verb: 'update' | 'delete'
  /** What each record gets. */
  readonly change: RecordData
  /** The questions that the change answers. */
  readonly inputs: readonly Input[]
}

/** The records as they are before; throws where they are others than the `matched` ones of the preview. */
async function before(
  { all, named, pages, selection }: Reach,
  { inputs }: Act,
  matched: number,
  asked: Pick<Doing, 'signal' | 'onWait'>,
): Promise<readonly RecordData[]> {
  if (!selection.isAll) return pages.rows.filter((row) => selection.ids.has(idOf(row)))
  if (matched > MOST) throw new Refusal(409, words().tooManyAtOnce(countText(MOST)))
  const isShown = inputs.every(({ field, relation }) => relation !== undefined || field?.show !== undefined)
  const fields = fieldsFor(
    named,
    inputs.map(({ name, relationName }) => relationName ?? name),
  )
  const query = isShown ? `${all.query}&${new URLSearchParams({ fields })}` : all.query
  const rows = await readMatching({ ...all, query }, matched, asked)
  if (rows.length !== matched) throw new Refusal(409, words().countChanged)
  return rows
}

/** Does it; shows what came of it, with the way back, and keeps what was refused chosen. */
export async function perform(reach: Reach, act: Act, matched: number, doing: Doing): Promise<Outcome> {
  const { named, pages, selection } = reach
  const rows = await before(reach, act, matched, doing)
  const { change, verb } = act
  const came = selection.isAll
    ? await writeMatching(reach.all, { verb, change, rows }, doing)
    : await doMany(
        named.resource.batch ?? '',
        { verb, records: rows.map(({ id = null }) => ({ id, ...(verb === 'update' ? { change } : {}) })) },
        doing,
      )
  notify(words().didMany(countText(came.done.length), countText(came.refused.length)), undoOf(reach, act, rows, came))
  selection.only(came.refused.map(({ id }) => id))
  pages.again()
  return came
}

/** How to take it back: what somebody else has changed since stays as it is, and is said. */
function undoOf(reach: Reach, act: Act, rows: readonly RecordData[], came: Outcome): Notice['action'] {
  const { named, pages } = reach
  const { resource } = named
  const { inputs, verb } = act
  const run = (): void =>
    void (verb === 'delete' ? restored(resource, came) : changedBack(resource, act, rows, came)).then(
      ({ done, refused }) => {
        const why = refused.slice(0, SAID).map(({ id, sentence: said }) => {
          const row = rows.find((one) => idOf(one) === id)
          return ` ${row === undefined ? id : titleOf(resource, row)}: ${said}`
        })
        notify(words().didMany(countText(done.length), countText(refused.length)) + why.join(''))
        pages.again()
      },
      (error) => notify(sentence(error)),
    )
  const isPossible =
    came.done.length > 0 && (verb === 'update' ? inputs.length > 0 : resource.actions.includes('restore'))
  return isPossible ? { label: words().undo, run } : undefined
}

/** So many refusals of an undo are said. */
const SAID = 3
const QUIET = { onProgress: () => undefined }

function restored({ batch = '' }: Resource, { done }: Outcome): Promise<Outcome> {
  return doMany(batch, { verb: 'restore', records: done.map(({ id = null }) => ({ id })) }, QUIET)
}

/** Gives the records the values of before, each only as the version that the change left, or with the values that it left. */
async function changedBack(
  { batch = '', path }: Resource,
  { change, inputs }: Act,
  rows: readonly RecordData[],
  { done, etags }: Outcome,
): Promise<Outcome> {
  const changed = new Set(done.map(idOf))
  const records = rows
    .filter((record) => changed.has(idOf(record)))
    .map((record) => ({
      id: record.id ?? null,
      change: { ...wayBack(inputs, record, change).before, if_match: etags.get(idOf(record)) ?? '""' },
    }))
  const came = await doMany(batch, { verb: 'update', records }, QUIET)
  const again: Refused[] = []
  const taken: RecordData[] = []
  for (const one of came.refused) {
    const before = rows.find((row) => idOf(row) === one.id)
    if (one.isStale !== true || before === undefined) again.push(one)
    else
      await takeBack({
        path: `${path}/${encodeURIComponent(one.id)}`,
        etag: undefined,
        ...wayBack(inputs, before, change),
      }).then(
        () => taken.push(before),
        (error) => again.push({ id: one.id, sentence: sentence(error) }),
      )
  }
  return { ...came, done: [...came.done, ...taken], refused: again }
}
