/** `plinth init --from` on public schemas: every table is served or named, every row is read, and nothing in the database changes. */
import { readFileSync, writeFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { adopted } from '../../../engine/cli/init/from.ts'
import { appOf } from '../../../engine/cli/init/template.ts'
import type { Answer } from '../../support/answer.ts'
import { type FromWorld, fingerprint, openFrom } from './world.ts'

type Rows = readonly Record<string, unknown>[]

/** Tables that are no resource: where their rows are read, resource by resource, or undefined for those left out. */
const ELSEWHERE: Readonly<
  Record<string, Readonly<Record<string, readonly [resource: string, part: string] | undefined>>>
> = {
  pagila: {
    film_actor: ['film', 'actor'],
    film_category: ['category', 'film'],
    payment: ['customer', 'payment'],
  },
  chinook: { PlaylistTrack: ['playlist', 'track'] },
  northwind: {
    customer_customer_demo: ['customers', 'customer_demographics'],
    employee_territories: ['territories', 'employees'],
    order_details: ['orders', 'order_details'],
    import_log: undefined,
  },
}

for (const [name, elsewhere] of Object.entries(ELSEWHERE)) {
  const test = suite(`init --from ${name}`)
  let world: FromWorld
  test.before(async () => {
    world = await openFrom(`${name}.sql`)
  })
  test.after(() => world?.close())

  const path = (resource: string) => `/${resource.replaceAll('_', '-')}`
  const right = (answer: Answer): Answer => {
    assert.is(answer.status, 200, answer.text)
    return answer
  }

  /** Every record of a resource, each as it is read alone. */
  const all = async (resource: string): Promise<Rows> => {
    const ids: unknown[] = []
    for (let cursor: unknown = 'first'; cursor !== null; ) {
      const page = right(await world.call('GET', `${path(resource)}?per_page=2&cursor=${cursor}`))
      ids.push(...page.list.map(({ id }) => id))
      cursor = page.at('meta.pagination.next_cursor')
    }
    const one = async (id: unknown) =>
      right(await world.call('GET', `${path(resource)}/${encodeURIComponent(String(id))}`)).at('data')
    return (await Promise.all(ids.map(one))) as Rows
  }

  test('every table is a resource, or told where it is instead', async () => {
    const told = new Set(world.found.remarks.map((line) => line.split(/[. ]/)[0]))
    const others = world.tables.filter((table) => !world.found.served.has(table))
    assert.equal(others, Object.keys(elsewhere).sort())
    for (const table of others) assert.ok(told.has(table), table)
  })

  test('an administrator reads every row', async () => {
    for (const [table, resource] of world.found.served) {
      const records = await all(resource)
      assert.is(records.length, await world.count(table), table)
    }
    for (const [table, place] of Object.entries(elsewhere)) {
      if (place === undefined) continue
      const parts = (await all(place[0])).flatMap((record) => record[place[1]] as Rows)
      assert.is(parts.length, await world.count(table), table)
    }
  })

  test('nobody else reads or writes anything', async () => {
    for (const resource of world.found.served.values()) {
      assert.is((await world.app.call('GET', `/api/v1${path(resource)}`)).status, 401, resource)
    }
    const someone = { first_name: 'Ann', last_name: 'Reed', email: 'ann@example.com' }
    const password = { password: 'a long secret', password_confirmation: 'a long secret' }
    const made = await world.app.call('POST', '/api/v1/auth/register', { body: { ...someone, ...password } })
    const token = made.at('data.token') as string
    for (const resource of world.found.served.values()) {
      assert.is((await world.app.call('GET', `/api/v1${path(resource)}`, { token })).status, 403, resource)
    }
  })

  test('nothing that was there is changed', async () => {
    const after = await fingerprint(world.database)
    for (const [what, hash] of world.before) assert.is(after.get(what), hash, what)
    assert.ok(world.before.size >= 2 * world.tables.length)
  })

  test('made again after its start, the application is the same one', async () => {
    const again = await adopted(world.database, await appOf('from', { title: 'Shop' }))
    assert.equal(again.files, world.found.files)
  })

  test('its list says what could not be taken over, line by line', () => {
    const lines = `${world.found.remarks.join('\n')}\n`
    if (process.env.UPDATE_FROM) writeFileSync(`test/cli/from/${name}.txt`, lines)
    assert.snapshot(lines, readFileSync(`test/cli/from/${name}.txt`, 'utf8'))
  })

  test.run()
}

const writing = suite('init --from: writing')
let world: FromWorld

writing.after.each(() => world?.close())

writing('types of columns are those of fields, and what a table asks for is asked of a body', async () => {
  world = await openFrom('pagila.sql')
  const film = { title: 'Fourth', language_id: 1, rating: 'R', release_year: 2020, actor_ids: [1, 2] }
  const made = await world.call('POST', '/film', film)
  assert.is(made.status, 201, made.text)
  const { rating, rental_rate, special_features, language, actor } = made.at('data') as Record<string, unknown>
  assert.equal([rating, rental_rate, special_features], ['R', '4.99', null])
  // The fingerprint of the tests above would tell of as much.
  const after = await fingerprint(world.database)
  const others = [...world.before.keys()].filter((what) => after.get(what) !== world.before.get(what))
  assert.equal(others.sort(), ['film_film_id_seq', 'rows of film', 'rows of film_actor'])
  assert.equal(language, { id: 1, name: 'English             ' })
  assert.is((actor as unknown[]).length, 2)
  const wrong = await world.call('POST', '/film', { rating: 'X', length: 40_000 })
  assert.equal(Object.keys(wrong.at('errors') as object).sort(), ['language_id', 'length', 'rating', 'title'])
  assert.is((await world.call('POST', '/film', { ...film, release_year: 1 })).status, 422)
  assert.is(
    (await world.call('POST', '/staff', { first_name: 'A', last_name: 'B', address_id: 1, username: 'ab' })).status,
    422,
  )
  const double = await world.call('POST', '/store', { manager_staff_id: 1, address_id: 1 })
  assert.equal([double.status, Object.keys(double.at('errors') as object)], [422, ['manager_staff_id']])
  assert.is((await world.call('DELETE', '/language/1')).status, 409)
  const asked = await world.call('GET', '/language/1?include=film_by_language')
  assert.is((asked.at('data.film_by_language') as unknown[]).length, 3)
})

writing('ids that nobody counts are sent; those of another table of that name are apart', async () => {
  world = await openFrom('northwind.sql')
  const order = { customer_id: 'ALFKI', freight: 1.5 }
  assert.equal((await world.call('POST', '/orders', order)).at('errors'), { id: ['The id field is required'] })
  const made = await world.call('POST', '/orders', { id: 10250, ...order })
  assert.equal([made.status, made.at('data.freight'), made.at('data.order_details')], [201, '1.5', []], made.text)
  assert.is((await world.call('POST', '/orders', { id: 10250 })).status, 422)
  assert.is((await world.call('PATCH', '/orders/10250', { freight: '2.25' })).at('data.freight'), '2.25')
  const lines = (await world.call('GET', '/orders/10248')).at('data.order_details') as Rows
  assert.equal(lines[1], { order_id: 10248, product_id: 2, unit_price: 9.8, quantity: 10, discount: 0.15 })
  assert.equal(
    (await world.call('GET', '/users')).list.map(({ email }) => email),
    ['admin@example.com'],
  )
  assert.equal(
    (await world.call('GET', '/existing-users')).list.map(({ login }) => login),
    ['maria', 'nan'],
  )
  assert.is((await world.call('POST', '/existing-users', { login: 'eva', state: 'lost' })).status, 422)
  assert.is((await world.call('POST', '/existing-users', { login: 'eva' })).at('data.state'), 'new')
})

writing.run()
