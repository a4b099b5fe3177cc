/** The plans of requests to the desk, as people read them: requests.txt has each request, its caller and its plan. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Actor } from '../../engine/actor.ts'
import { createEngine, type Engine } from '../../engine/engine.ts'
import { ApiError } from '../../engine/error.ts'
import { explainPlan } from '../../engine/explain/plan-report.ts'
import { findRoute, questionOf } from '../../engine/http/question.ts'
import type { JsonObject } from '../../engine/json.ts'
import { executionOf } from '../../engine/run/execution.ts'
import { readSettings } from '../../engine/settings.ts'
import { SILENT, testDatabase } from '../support/database.ts'

const PAGE = 'test/plan/requests.txt'

interface Desk {
  engine: Engine
  actors: ReadonlyMap<string, Actor>
  close(): Promise<void>
}

const test = suite<Desk>('plans of requests')
test.before(async (desk) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'plinth-plans-'))
  const settings = readSettings({ DATA_DIR: dataDir, ADMIN_PASSWORD: 'a very long secret' }).value!
  const { database, close } = await testDatabase()
  const { value: engine } = await createEngine({ settings, log: SILENT, database, now: () => new Date() })
  const rows = await database.adhoc.run({ text: 'select slug, permissions from roles' }, [])
  const actors = rows.map(([role = null, permissions]): readonly [string, Actor] => [
    String(role),
    { kind: 'user', id: 1, role, permissions: new Set(JSON.parse(permissions ?? '[]') as string[]), attributes: {} },
  ])
  Object.assign(desk, { engine, actors: new Map(actors) })
  desk.close = async () => {
    await engine!.close()
    await close()
    await rm(dataDir, { recursive: true })
  }
})
test.after(({ close }) => close())

/** The plan of `PATCH /tickets/7 {…}` as somebody of a role. */
function planOf({ actors, engine }: Desk, request: string, role: string): string {
  const [, line = '', body = '{}'] = /^(\S+ \S+)(?: (\{.*\}))?$/.exec(request) ?? []
  const actor = actors.get(role)!
  const { app } = engine
  const question = questionOf(findRoute(line.replace(' /', ` ${app.catalog.prefix}/`), app), actor)!
  const around = executionOf(app.foundation, { actor, requestId: 'plan', afterCommit: () => undefined })
  try {
    const lines = explainPlan(around, question, JSON.parse(body) as JsonObject)
    // Where in a file something is said changes with every line of it.
    return lines.map((line) => line.replace(/(\.yaml):\d+:\d+/g, '$1')).join('\n')
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return `${error.status} ${[error.message, ...Object.values(error.params.errors ?? {}).flat()].join(': ')}`
  }
}

test('each request has its plan', async (desk) => {
  const page = await readFile(PAGE, 'utf8')
  const heads = [...page.matchAll(/^(.+) as (\w+)$/gm)]
  assert.ok(heads.length >= 30, String(heads.length))
  const made = heads.map(([head, request = '', role = '']) => `${head}\n${planOf(desk, request, role)}\n`).join('\n')
  if (process.env.PLANS === 'write') await writeFile(PAGE, made)
  assert.fixture(made, page)
})

test.run()
