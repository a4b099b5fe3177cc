/** A list of ids writes pairs as any other write does, and a change of links alone is a change of the record. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
import type { Answer } from '../support/answer.ts'
import { application, type TestApplication } from '../support/application.ts'
import { until } from '../support/wait.ts'

const test = suite('links')
let app: TestApplication

const POLICIES = `policies:
  view: [{ who: signed_in }]
  create: [{ who: signed_in }]
  update: [{ who: signed_in }]
  delete: [{ who: signed_in }]`
const FILES = {
  'app.yaml':
    'name: Teams\nprefix: /t\nplugins: { timestamps: {}, soft_delete: {}, who: {}, activity: {}, jobs: {} }\nlimits: { listenerPollMs: 100 }\n',
  'teams.yaml': `
resource: teams
label: Team
activity: true
fields: { name: { type: string }, size: { type: integer, default: 0, read_only: true }, told: { type: integer, default: 0 } }
relations:
  members: { many_to_many: people, through: memberships, embed: [id, name] }
  tags: { many_to_many: tags, embed: [id, name], label: Tags }
  good_tags: { many_to_many: tags, through: good_tags_teams, where: { is_good: true } }
${POLICIES}
automations:
  hear: { on: [update], when: { name: heard, told: 0 }, set: { told: 1 } }
`,
  // No moment is set by an update of these.
  'plains.yaml': `
resource: plains
label: Plain
timestamps: false
activity: true
fields: { word: { type: string }, copy: { type: string, read_only: true } }
relations: { tags: { many_to_many: tags, embed: [id, name] } }
follows: [{ set: { copy: $record.word } }]
${POLICIES}
`,
  'people.yaml': `resource: people\nlabel: Person\nfields: { name: { type: string } }\n${POLICIES}`,
  'tags.yaml': `
resource: tags
label: Tag
soft_delete: true
restore: true
fields: { name: { type: string }, is_good: { type: boolean, default: true } }
${POLICIES}
  restore: [{ who: signed_in }]
`,
  'memberships.yaml': `
resource: memberships
label: Membership
log_changes: true
fields: { is_fixed: { type: boolean, default: false } }
relations:
  team: { belongs_to: teams, required: true, on_delete: cascade }
  person: { belongs_to: people, required: true, on_delete: cascade }
indexes: [{ fields: [team_id, person_id], unique: true }]
rules:
  fixed: { on: [delete], must: { is_fixed: false }, says: A fixed member stays }
  full: { at_most: 3, per: team, says: Three members at most }
  some: { at_least: 1, where: { team.name: never alone }, per: team, holds: when_written, says: One member stays }
follows:
  - { of: team, on: [create], set: { size: { plus: [$record.team.size, 1] } } }
  - { of: team, on: [delete], set: { size: { minus: [$record.team.size, 1] } } }
${POLICIES}
`,
}

const call = (method: string, path: string, body?: JsonObject): Promise<Answer> =>
  app.call(method, `/t${path}`, { body, token: '7:worker:' })
const done = async (method: string, path: string, body?: JsonObject): Promise<JsonObject> => {
  const answer = await call(method, path, body)
  assert.ok(answer.status < 300, answer.text)
  return (answer.body?.data ?? {}) as JsonObject
}
const make = async (path: string, body: JsonObject = {}): Promise<number> => Number((await done('POST', path, body)).id)
const several = async (path: string, count: number): Promise<readonly number[]> => {
  const ids: number[] = []
  for (let i = 0; i < count; i++) ids.push(await make(path, { name: `n${i}` }))
  return ids
}
const rows = (text: string, values: readonly unknown[]) => app.engine.database.adhoc.run({ text }, values)
const sizeOf = async (team: number): Promise<readonly unknown[]> => {
  const [row] = await rows(
    'select t.size, (select count(*) from memberships m where m.team_id = t.id) from teams t where id = $1',
    [team],
  )
  return row?.map(Number) ?? []
}
const activityOf = async (path: string): Promise<readonly string[]> =>
  ((await call('GET', `${path}/activity`)).body.data as readonly JsonObject[]).map(({ description }) =>
    String(description),
  )

test.before(async () => {
  app = await application({ resources: FILES, plugins: 'test/action/plugins' })
})
test.after(() => app.close())

test('pairs of a joining resource are counted, logged and judged, whether a list or a request of their own writes them', async () => {
  const [a, b, c, d] = await several('/people', 4)
  const team = await make('/teams', { member_ids: [a!, b!] })
  assert.equal(await sizeOf(team), [2, 2])
  await done('PATCH', `/teams/${team}`, { member_ids: [b!, c!] })
  assert.equal(await sizeOf(team), [2, 2])
  const single = await make('/memberships', { team_id: team, person_id: a!, is_fixed: true })
  assert.equal(await sizeOf(team), [3, 3])
  const refused = await call('PATCH', `/teams/${team}`, { member_ids: [b!] })
  assert.equal([refused.status, refused.body.message], [409, 'A fixed member stays'])
  const full = await call('PATCH', `/teams/${team}`, { member_ids: [a!, b!, c!, d!] })
  assert.equal([full.status, full.body.message], [409, 'Three members at most'])
  assert.equal(await sizeOf(team), [3, 3])
  await done('PATCH', `/memberships/${single}`, { is_fixed: false })
  await done('PATCH', `/teams/${team}`, { member_ids: [] })
  assert.equal(await sizeOf(team), [0, 0])
  const log = await rows(
    `select action, actor_id, count(*) from plinth_change where resource = 'memberships' and action <> 'update' group by 1, 2 order by 1`,
    [],
  )
  assert.equal(log, [
    ['create', '7', '4'],
    ['delete', '7', '4'],
  ])
})

test('a list that replaces the only member, or one of as many as there may be, is judged as it is in the end', async () => {
  const [a, b, c, d] = await several('/people', 4)
  const team = await make('/teams', { name: 'never alone', member_ids: [a!] })
  await done('PATCH', `/teams/${team}`, { member_ids: [b!] })
  const alone = await call('PATCH', `/teams/${team}`, { member_ids: [] })
  assert.equal([alone.status, alone.body.message], [409, 'One member stays'])
  await done('PATCH', `/teams/${team}`, { member_ids: [a!, b!, c!] })
  await done('PATCH', `/teams/${team}`, { member_ids: [b!, c!, d!] })
  assert.equal(await sizeOf(team), [3, 3])
})

test('twenty lists at once leave as many pairs as are counted', async () => {
  const team = await make('/teams')
  const people = await several('/people', 6)
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      call('PATCH', `/teams/${team}`, { member_ids: [people[i % 6]!, people[(i * 5 + 1) % 6]!] }),
    ),
  )
  for (const { status, text } of answers) assert.is(status, 200, text)
  const [size, count] = await sizeOf(team)
  assert.is(size, count)
})

test('a change of links alone reaches the activity, once, and automations', async () => {
  const [a, b] = await several('/tags', 2)
  const team = await make('/teams', { name: 'heard' })
  await done('PATCH', `/teams/${team}`, { tag_ids: [a!] })
  assert.equal((await activityOf(`/teams/${team}`)).slice(-2), ['Tags changed', 'Team created'])
  await until(async () => (await rows('select 1 from teams where id = $1 and told = 1', [team])).length > 0)
  await done('PATCH', `/teams/${team}`, { tag_ids: [a!] })
  await done('PATCH', `/teams/${team}`, { tag_ids: [a!, b!], name: 'new' })
  assert.equal(
    (await activityOf(`/teams/${team}`)).filter((line) => /tags/i.test(line)),
    ['Name and tags changed', 'Tags changed'],
  )
  const plain = await make('/plains')
  await done('PATCH', `/plains/${plain}`, { tag_ids: [b!] })
  await done('PATCH', `/plains/${plain}`, { tag_ids: [b!] })
  assert.equal(await activityOf(`/plains/${plain}`), ['Tags changed', 'Plain created'])
})

test('a change of links alone is a write, so what follows at every write follows, also where no time is set', async () => {
  const tag = await make('/tags', { name: 'written' })
  const plain = await make('/plains', { word: 'as before' })
  await app.engine.database.knex.raw('update plains set copy = null')
  const changed = await done('PATCH', `/plains/${plain}`, { tag_ids: [tag] })
  assert.is(changed.copy, 'as before')
})

test('links to deleted records, and to those that the relation does not show, stay when a list is sent', async () => {
  const [a, b] = await several('/tags', 2)
  const team = await make('/teams', { tag_ids: [a!, b!], good_tag_ids: [a!, b!] })
  await done('DELETE', `/tags/${a}`)
  await done('PATCH', `/tags/${b}`, { is_good: false })
  await done('PATCH', `/teams/${team}`, { good_tag_ids: [], tag_ids: [] })
  const left = (table: string) => rows(`select tag_id from ${table} where team_id = $1 order by 1`, [team])
  assert.equal([await left('good_tags_teams'), await left('tags_teams')], [[[String(a)], [String(b)]], [[String(a)]]])
  await done('POST', `/tags/${a}/restore`)
  const { tags } = await done('GET', `/teams/${team}`)
  assert.equal(
    (tags as JsonObject[]).map(({ id }) => id),
    [a],
  )
})

test.run()
