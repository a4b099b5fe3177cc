/** Stored names of resources, fields and relations after a rename. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { listenerStates } from '../../engine/change/state.ts'
import { ENGINE_COLUMNS, nameColumns } from '../../engine/migration/names/name-columns.ts'
import { openReceiver, type Receiver } from '../plugins/webhooks/world.ts'
import type { Answer } from '../support/answer.ts'
import { send } from '../support/application.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { namedIn } from '../support/named-in.ts'
import { until } from '../support/wait.ts'
import { AFTER, BEFORE, type Blog, type Data, fill, LATER, openBlog } from './blog.ts'

const test = suite('stored names')

let held: TestDatabase
let folder: string
let receiver: Receiver
let blog: Blog
let again: Answer
let plan: readonly string[]
let left: readonly string[]
let places: readonly string[]

const JOB = '00000000-0000-4000-8000-000000000001'
const KEEP = '00000000-0000-4000-8000-000000000002'

test.before(async () => {
  held = await testDatabase()
  folder = await mkdtemp(join(tmpdir(), 'plinth-names-'))
  receiver = await openReceiver()
  const before = await openBlog(BEFORE, held.database, folder)
  await fill(before, receiver)
  const ed = await before.login('ed')
  const sent = { body: { title: 'Twice' }, headers: { 'idempotency-key': 'once' } }
  assert.is((await before.app.call('POST', '/api/posts', { token: ed, ...sent })).status, 201)
  await leaveBehind(before)
  places = await namedIn(held.database, /^(automation:)?posts([. ]|$)|^(title|(author|section)(_id)?)$/)
  await before.close()
  const after = await openBlog(AFTER, held.database, folder)
  plan = await carried()
  // It has the names that it had, which is not what the document of now says.
  again = await send(after.app.address, 'POST', '/api/posts', { token: await after.login('ed'), ...sent })
  await after.close()
  // What an earlier start left, some of it beside what has the later name already.
  await run(`insert into plinth_seed (resource, key) values ('posts', '["Welcome"]'), ('posts', '["Left"]')`)
  await run(`insert into plinth_listener (name, done) values ('automation:posts.place', pg_current_snapshot())`)
  await run(`insert into plinth_automation (name) values ('posts.look')`)
  const once = await openBlog(AFTER, held.database, folder)
  left = (await carried()).slice(plan.length)
  await once.close()
  // Clients use the later names by now: the earlier ones have to be gone from the data too.
  blog = await openBlog(LATER, held.database, folder)
})
test.after(async () => {
  await blog?.close()
  await receiver?.close()
  await held?.close()
  await rm(folder, { recursive: true, force: true })
})

const run = (text: string, values: readonly unknown[] = []) => held.database.adhoc.run({ text }, values)

/** A job that waits, a change that was put off, a run that is tried again later, a delivery that waits, and a row of an import. */
async function leaveBehind({ app, must }: Blog): Promise<void> {
  // A listener that still works the change would defer it again, and then work it.
  const states = () => listenerStates(held.database.adhoc, app.engine.app.catalog, new Date())
  await until(async () => (await states()).every(({ waiting }) => waiting === 0))
  const boss = (await must('GET', '/users?email=boss@blog.example'))[0].id
  await run(
    `insert into plinth_job (id, name, payload, due_at, attempts, actor_id, runs_as) values
      ($1, 'csv.import', '{"resource": "posts", "resources": ["posts", "sections"], "rows": 0}', now() + interval '1 day', 3, $3, 'actor'),
      ($2, 'csv.import', '{"resource": "sections", "rows": 0}', now() + interval '1 day', 3, $3, 'actor')`,
    [JOB, KEEP, boss],
  )
  await run(`insert into plinth_deferred_change (listener, change_id, resource, record_id, due_at)
    select l.name, c.id, c.resource, c.record_id, now() + interval '1 day' from plinth_listener l,
    (select * from plinth_change where resource = 'posts' order by id desc limit 1) c`)
  await run(`insert into plinth_automation_run (automation, record_id, cause, outcome, due_at)
    values ('posts.look', 1, '2026-01-01T00:00:00Z', 'retry', now() + interval '1 day')`)
  await run(`insert into webhook_deliveries (webhook_id, change_id, message_id, event, resource, record_id, status,
      attempts_made, next_attempt_at, occurred_at, created_at, queued_at)
    select webhook_id, 1000000, 'msg_waits', event, resource, record_id, 'pending', 0, now() + interval '1 day', now(), now(), now()
    from webhook_deliveries order by id limit 1`)
  await run(
    `insert into access_keys (name, start, key_hash, permissions, expires_at, user_id)
      values ('night job', 'plk_night', 'none', '["posts.view", "macros.use"]', now() + interval '1 day', $1)`,
    [boss],
  )
  await run(`insert into access_key_uses (key_id, permission, used_at) select id, 'posts.view', now() from access_keys`)
  await run(`insert into import_rows (resource, digest, record_id, done_at) values ('posts', 'cells', '1', now())`)
}

async function carried(): Promise<readonly string[]> {
  const rows = await run(`select title from plinth_step where title like 'carry %' order by id`)
  return rows.map(([title]) => title ?? '')
}

const first = async (): Promise<Data> =>
  (await blog.must('GET', '/articles?per_page=100')).find(({ headline }: Data) => headline === 'One more')

test('every place that holds a name is in the list', () => {
  const listed = nameColumns(blog.app.engine.app.catalog).map(({ table, column }) => `${table}.${column}`)
  const said = Object.entries(ENGINE_COLUMNS).flatMap(([table, columns]) =>
    Object.keys(columns).map((column) => `${table}.${column}`),
  )
  const unknown = places.filter((place) => !listed.includes(place) && !said.includes(place))
  assert.equal(unknown, [])
  // Each of them was tried; what is created below a record is tried with its macro.
  const tried = listed.filter((place) => !places.includes(place) && place !== 'macros.create')
  assert.equal(tried, [])
})

test('nothing in the list has an earlier name any more', async () => {
  const listed = nameColumns(blog.app.engine.app.catalog).map(({ table, column }) => `${table}.${column}`)
  const left = await namedIn(held.database, /^(automation:)?posts([. ]|$)|^(title|(author|section)(_id)?)$/)
  assert.equal(
    left.filter((place) => listed.includes(place)),
    [],
  )
})

test('the plan tells what is carried, in counts', () => {
  assert.match(plan.join('\n'), /^carry .*\d+ changes.* over from posts to articles$/m)
  assert.match(plan.join('\n'), /1 macro\b.* over from posts to articles$/m)
  assert.match(plan.join('\n'), /^carry \d+ changes over from articles.title to articles.headline$/m)
})

test('a later start carries what an earlier one left, and nothing twice', async () => {
  assert.equal(left, ['carry 1 automation, 1 listener and 2 seeds over from posts to articles'])
  assert.equal(await carried(), [...plan, ...left])
  const seeds = await run(`select key from plinth_seed where resource = 'articles' order by key`)
  assert.equal(seeds.flat(), ['["About us"]', '["Left"]', '["Welcome"]'])
})

test('activity is shown at the renamed record', async () => {
  const { id } = await first()
  const shown: readonly Data[] = await blog.must('GET', `/articles/${id}/activity`)
  const changes = shown.flatMap(({ changes }) => changes.map(({ field, to }: Data) => [field, to]))
  assert.ok(changes.some(([field, to]) => field === 'headline' && to === 'One more'))
  assert.ok(changes.some(([field]) => field === 'writer_id'))
  assert.ok(shown.some(({ automation }) => automation === 'articles.place'))
})

test('who sees only some records reads what happened while they were theirs', async () => {
  const { id } = await first()
  const shown = await blog.must('GET', `/articles/${id}/activity`, undefined, await blog.login('ria'))
  assert.ok(shown.length >= 3, JSON.stringify(shown))
})

test('the webhook is told of the renamed resource, and its condition goes on', async () => {
  const [hook] = await blog.must('GET', '/webhooks')
  const ria = (await blog.must('GET', '/users?email=ria@blog.example'))[0].id
  assert.equal(hook.events, ['articles.*', 'articles.create'])
  assert.equal(hook.where, {
    any: [{ headline: { contains: 'e' } }, { 'writer.first_name': 'Ria' }, { writer_id: ria }],
  })
  await blog.must('POST', '/articles', { headline: 'Dull' })
  await blog.must('POST', '/articles', { headline: 'Unnamed', writer_id: ria })
  await blog.must('POST', '/articles', { headline: 'The end' })
  const created = () => {
    const all = receiver.received.filter(
      ({ json }) => json.type === 'articles.create' && json.data.resource === 'articles',
    )
    // What was made before may be told behind the rename.
    return all.map(({ json }) => json.data.record.headline).filter((headline) => headline !== 'Twice')
  }
  await until(() => created().length >= 2)
  assert.equal(created().sort(), ['The end', 'Unnamed'])
})

test('a delivery that waited is sent with its record', async () => {
  await run(`update webhook_deliveries set next_attempt_at = now() where message_id = 'msg_waits'`)
  await blog.must('POST', '/articles', { headline: 'Wakes the sender' })
  const waited = () => receiver.received.find(({ headers }) => headers['webhook-id'] === 'msg_waits')
  await until(() => waited() !== undefined)
  assert.equal([waited()?.json.type, waited()?.json.data.resource], ['articles.create', 'articles'])
  assert.is.not(waited()?.json.data.record, null)
})

test('files are served with their record', async () => {
  const { id } = await first()
  const [file] = await blog.must('GET', `/media?article_id=${id}`)
  assert.is(file?.article_id, id)
  const { attachments } = await blog.must('GET', `/articles/${id}`)
  assert.equal(attachments.length, 1)
  const answer = await blog.app.call('GET', attachments[0].url, { token: blog.admin })
  assert.is(answer.status, 200)
})

test('roles and keys have the permissions of the renamed resource, and no others', async () => {
  const ed = await blog.login('ed')
  assert.is((await blog.app.call('GET', '/api/articles', { token: ed })).status, 200)
  const roles: readonly Data[] = await blog.must('GET', '/settings/roles')
  const editor = roles.find(({ slug }) => slug === 'editor')
  assert.equal(editor.permissions, ['articles.view', 'articles.manage', 'webhooks.manage', 'macros.use'])
  assert.equal(roles.find(({ slug }) => slug === 'reader').permissions, [])
  const [key] = await run('select permissions from access_keys')
  assert.equal(key?.[0], '["articles.view", "macros.use"]')
  assert.equal(await run('select permission from access_key_uses'), [['articles.view']])
})

test('a request that is sent again is answered as before, and titles of steps stay as they were said', async () => {
  assert.equal([again.status, again.headers['idempotency-replayed']], [201, 'true'], again.text)
  const [said] = await run(`select count(*) from plinth_step where title like 'create table posts %'`)
  assert.equal(said, ['1'])
})

test('a macro changes what it changed', async () => {
  const ria = (await blog.must('GET', '/users?email=ria@blog.example'))[0].id
  const { id } = await blog.must('POST', '/articles', { headline: 'Fresh', writer_id: ria })
  const usable = await blog.must('GET', `/articles/${id}/macros`)
  assert.equal(usable.length, 1)
  const changed = await blog.must('POST', `/articles/${id}/macros/seen`)
  assert.equal([changed.headline, changed.is_seen], ['Fresh of author title by Ria', true])
  const notes: readonly Data[] = await blog.must('GET', `/articles/${id}/posted`)
  assert.equal(
    notes.map(({ words }) => words),
    ['FRESH'],
  )
  for (const note of notes) await blog.must('DELETE', `/notes/${note.id}`)
})

test('deleted seeds are not made again, nor those that another record names', async () => {
  const all: readonly Data[] = await blog.must('GET', '/articles?per_page=100')
  assert.equal(
    [all.filter(({ headline }) => headline === 'About us').length, (await blog.must('GET', '/notes')).length],
    [0, 0],
  )
  assert.is(all.filter(({ headline }) => headline === 'Welcome').length, 1)
})

test('a job that waited runs for the renamed resource', async () => {
  await run(`update plinth_job set due_at = now() where id = any($1::uuid[])`, [[JOB, KEEP]])
  await until(async () => {
    const rows = await run(`select status from plinth_job where id = any($1::uuid[])`, [[JOB, KEEP]])
    return rows.every(([status]) => status === 'completed' || status === 'failed')
  })
  const rows = await run(
    `select status, payload ->> 'resource' from plinth_job where id = any($1::uuid[]) order by id`,
    [[JOB, KEEP]],
  )
  // What is done needs no payload; files of sections are never imported.
  assert.equal(rows, [
    ['completed', null],
    ['failed', 'sections'],
  ])
})

test('automations go on where they were, in turn', async () => {
  const rows = await run(`select automation, count(*) > 0 from plinth_automation_run group by 1 order by 1`)
  assert.equal(rows, [
    ['articles.look', 't'],
    ['articles.place', 't'],
  ])
  const [turns] = await run(
    `select count(*), count(*) filter (where automation = 'articles.place' and field like 'area%') from plinth_automation_turn`,
  )
  assert.equal(turns, ['2', '2'])
  const [places] = await run(`select count(*) from plinth_listener where name like 'automation:%'`)
  assert.equal(places, ['1'])
})

test.run()
