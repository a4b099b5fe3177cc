/** Drawn writes against a model in memory: one after the other it is all predicted, and of many at once nothing is lost. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
import type { Answer } from '../support/answer.ts'
import { application, type TestApplication } from '../support/application.ts'
import { FILES, Model, ROWS, type Wanted } from './drawn-shop.ts'

const test = suite('drawn writes')
let app: TestApplication

/** A longer search: `DRAWN_WRITES=2000 npm test -- --timeout 3600000 test/action/drawn-writes.test.ts`. */
const RUNS = Number(process.env.DRAWN_WRITES ?? 20)

const call = (method: string, path: string, body?: JsonObject): Promise<Answer> =>
  app.call(method, `/d${path}`, { body, token: '7:worker:' })
const idOf = (answer: Answer): number => Number(answer.at('data.id'))

const at = fc.nat(9)
const values = fc.record({
  shelf: at,
  best: fc.boolean(),
  pinned: fc.nat(2).map((n) => n === 0),
  fixed: fc.nat(4).map((n) => n === 0),
  tags: fc.uniqueArray(fc.nat(2), { maxLength: 3 }),
})
const command = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('create' as const), values, price: fc.nat(9) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('update' as const), at, values }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), at }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('restore' as const), at }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete shelf' as const), at }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('note' as const), at }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pick' as const), at, tags: values.map(({ tags }) => tags) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('tag' as const), at }) },
)
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never

test.before(async () => {
  app = await application({ resources: FILES, plugins: 'test/support/plugins' })
})
test.after(() => app.close())

async function begin(): Promise<Model> {
  const tables = 'truncate shelves, books, notes, tags, picks, books_tags, plinth_change cascade'
  await app.engine.database.knex.raw(tables)
  const model = new Model()
  for (let i = 0; i < 3; i++)
    model.shelves.set(idOf(await call('POST', '/shelves', {})), { losses: 0, picks: new Set() })
  for (let i = 0; i < 3; i++) model.tags.set(idOf(await call('POST', '/tags', {})), { deleted: false })
  return model
}

const nth = <T>(all: Iterable<T>, at: number): T | undefined => {
  const list = [...all]
  return list[at % Math.max(1, list.length)]
}

function wantedOf(model: Model, drawn: Extract<Command, { kind: 'create' }>['values']): Wanted {
  const tags = [...model.tags.keys()]
  return { ...drawn, shelf: nth(model.shelves.keys(), drawn.shelf)!, tags: new Set(drawn.tags.map((n) => tags[n]!)) }
}

const bodyOf = ({ best, fixed, pinned, shelf, tags }: Wanted): JsonObject => ({
  shelf_id: shelf,
  is_best: best,
  is_pinned: pinned,
  is_fixed: fixed,
  tag_ids: [...tags],
})

/** One write: the request, and what it does in the model; undefined where that refuses it. */
interface Write {
  readonly send: () => Promise<Answer>
  readonly apply: ((answer: Answer) => void) | undefined
}

function bookWrite(model: Model, one: Command): Write | undefined {
  if (one.kind === 'create') {
    const wanted = wantedOf(model, one.values)
    let id = 0
    const apply = model.create(() => id, wanted, one.price)
    return {
      send: () => call('POST', '/books', { ...bodyOf(wanted), price: one.price }),
      apply:
        apply &&
        ((answer) => {
          id = idOf(answer)
          apply()
        }),
    }
  }
  if (one.kind !== 'update' && one.kind !== 'delete' && one.kind !== 'restore') return undefined
  const isDeleted = one.kind === 'restore'
  const found = nth(
    [...model.books].filter(([, book]) => book.deleted === isDeleted),
    one.at,
  )
  if (found === undefined) return undefined
  const [id, book] = found
  if (one.kind === 'delete') return { send: () => call('DELETE', `/books/${id}`), apply: model.remove(book) }
  if (one.kind === 'restore') return { send: () => call('POST', `/books/${id}/restore`), apply: model.restore(book) }
  const wanted = wantedOf(model, one.values)
  return { send: () => call('PATCH', `/books/${id}`, bodyOf(wanted)), apply: model.update(book, wanted) }
}

function otherWrite(model: Model, one: Command): Write | undefined {
  const shelf = nth(model.shelves.keys(), 'at' in one ? one.at : 0)!
  if (one.kind === 'delete shelf') {
    if (model.shelves.size < 2) return undefined
    return { send: () => call('DELETE', `/shelves/${shelf}`), apply: model.removeShelf(shelf) }
  }
  if (one.kind === 'note') {
    const apply = (answer: Answer): void => void model.notes.set(idOf(answer), { shelf, left: 0, logged: 1 })
    return { send: () => call('POST', '/notes', { shelf_id: shelf }), apply }
  }
  if (one.kind === 'pick') {
    const tags = [...model.tags.keys()]
    const wanted = new Set(one.tags.map((n) => tags[n]!))
    return {
      send: () => call('PATCH', `/shelves/${shelf}`, { pick_ids: [...wanted] }),
      apply: model.pick(shelf, wanted),
    }
  }
  if (one.kind !== 'tag') return undefined
  const [id, tag] = nth(model.tags, one.at)!
  const apply = (): void => {
    tag.deleted = !tag.deleted
  }
  return { send: () => (tag.deleted ? call('POST', `/tags/${id}/restore`) : call('DELETE', `/tags/${id}`)), apply }
}

const writeOf = (model: Model, one: Command): Write | undefined => bookWrite(model, one) ?? otherWrite(model, one)

async function stored(): Promise<readonly string[]> {
  const rows = await app.engine.database.adhoc.run({ text: ROWS }, [])
  return rows.map(([row]) => row ?? '').sort()
}

test('each write does what the model does, or is refused where the model refuses it and leaves no trace', () =>
  fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 25 }), async (commands) => {
      const model = await begin()
      for (const one of commands) {
        const write = writeOf(model, one)
        if (write === undefined) continue
        const answer = await write.send()
        assert.is(answer.status < 300, write.apply !== undefined, `${JSON.stringify(one)}: ${answer.text}`)
        assert.ok(answer.status < 500, answer.text)
        write.apply?.(answer)
        assert.equal(await stored(), model.rows(), JSON.stringify(one))
      }
    }),
    { numRuns: RUNS },
  ))

/** What must hold of the rows whatever came first. */
const BROKEN = `
  select 'figures of ' || s.id from shelves s left join books b on b.shelf_id = s.id and b.deleted_at is null
    group by s.id having s.size <> count(b.id) or s.worth <> coalesce(sum(b.price), 0)
  union all select 'picks of ' || s.id from shelves s where s.picked <> (select count(*) from picks p where p.shelf_id = s.id)
  union all select 'several best of ' || shelf_id from books where is_best and deleted_at is null group by shelf_id having count(*) > 1
  union all select 'too many of ' || shelf_id from books where deleted_at is null group by shelf_id having count(*) > 3
  union all select 'lost of ' || id from books where lost > (select count(*) from plinth_change c where c.resource = 'books' and c.record_id = books.id)`

test('of many writes at once no figure is wrong, and no rule is broken', () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.array(command, { minLength: 2, maxLength: 8 }), { maxLength: 4 }), async (rounds) => {
      const model = await begin()
      for (let i = 0; i < 4; i++) await call('POST', '/books', { shelf_id: nth(model.shelves.keys(), i)!, price: i })
      for (const round of rounds) {
        const rows = await app.engine.database.adhoc.run(
          { text: 'select id, shelf_id, deleted_at is not null from books' },
          [],
        )
        model.books.clear()
        for (const [id, shelf, deleted] of rows)
          model.books.set(Number(id), { ...EMPTY, shelf: Number(shelf), deleted: deleted === 't' })
        const left = await app.engine.database.adhoc.run({ text: 'select id from shelves' }, [])
        for (const id of model.shelves.keys()) if (!left.some(([one]) => Number(one) === id)) model.shelves.delete(id)
        const writes = round.flatMap((one) => writeOf(model, one) ?? [])
        const answers = await Promise.all(writes.map(({ send }) => send()))
        for (const { status, text } of answers) assert.ok(status < 500, text)
        assert.equal(await app.engine.database.adhoc.run({ text: BROKEN }, []), [])
      }
    }),
    { numRuns: RUNS },
  ))

const EMPTY = { price: 0, best: false, pinned: false, fixed: false, lost: 0, tags: new Set<number>(), logged: 0 }

test.run()
