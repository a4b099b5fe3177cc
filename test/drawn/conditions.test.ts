/** Drawn conditions over drawn records mean in every place what an oracle in memory says: in lists, figures, exports, policies and rules. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
import { application, type TestApplication } from '../support/application.ts'
import { conditionOf, looksBeside, tapes } from './conditions.ts'
import { holds } from './oracle.ts'
import { insert, type Row, type Rows, rowsOf } from './rows.ts'
import { filesOf, NAMES, type Shape, STAFF, shapes } from './shape.ts'

const test = suite('a machine of conditions')

const { MACHINE_RUNS, MACHINE_SEED, TEST_DATABASE_URL } = process.env

/** A busy machine runs fewer than a quiet one. */
const LONGEST_MS = 60_000

/** The usual run is the same each time; MACHINE_RUNS draws anew. */
const USUAL = MACHINE_RUNS === undefined ? '20261126' : undefined
const [seed, path] = (MACHINE_SEED ?? USUAL)?.split(',') ?? []

interface Drawn {
  readonly shape: Shape
  readonly rows: Rows
  /** Conditions of callers, and those of the author. */
  readonly asked: readonly JsonObject[]
  readonly written: readonly JsonObject[]
  readonly judging: readonly JsonObject[]
}

const drawn: fc.Arbitrary<Drawn> = shapes.chain((shape) => {
  const some = (withDeleted: boolean, record: boolean) =>
    fc.array(
      tapes.map((tape) => conditionOf(shape, 0, tape, { withDeleted, record })),
      { minLength: 6, maxLength: 6 },
    )
  return fc.record({
    shape: fc.constant(shape),
    rows: rowsOf(shape),
    asked: some(false, false),
    written: some(true, false),
    judging: some(true, true),
  })
})

/** The application with the author's conditions in their places. */
function filesWith({ judging, shape, written }: Drawn): Readonly<Record<string, string>> {
  const open = shape.map((resource) => ({ ...resource, hiddenFields: new Set<never>(), seen: undefined }))
  const named = Object.fromEntries(written.map((condition, i) => [`named${i}`, condition]))
  const own = Object.fromEntries(NAMES.map((name) => [name, name]))
  const touched = Object.fromEntries(judging.map((_, i) => [`touch${i}`, { type: 'boolean' }]))
  const rules = Object.fromEntries(
    judging.map((must, i) => [
      `rule${i}`,
      {
        ...{ must, changed: `touch${i}`, on: ['update'], says: `Rule ${i}` },
        ...(looksBeside(must) ? { holds: 'when_written' } : {}),
      },
    ]),
  )
  const roles = judging.map((where, i) => ({ role: `role${i}`, where }))
  return filesOf(open, (resource) => {
    if (resource.name !== 'r0') return {}
    const files = JSON.parse(filesOf(open)['r0.yaml']!) as {
      fields: JsonObject
      policies: { view: JsonObject[] }
      filters: string[]
    }
    const paths = Object.fromEntries(files.filters.map((one) => [one, one]))
    return {
      fields: { ...files.fields, ...touched },
      filters: { ...paths, ...own, ...named },
      csv: { export: [{ who: 'signed_in' }], columns: { Id: 'id', Word: 'word' } },
      policies: { ...files.policies, view: [...files.policies.view, ...roles] },
      rules,
    }
  })
}

/** Where an answer differs from what the oracle says. */
class Findings {
  readonly found: string[] = []

  compare(place: string, condition: JsonObject, told: unknown, meant: unknown): void {
    if (JSON.stringify(told) === JSON.stringify(meant)) return
    this.found.push(
      `${place}: ${JSON.stringify(condition)}\n  answered ${JSON.stringify(told)}\n  meant    ${JSON.stringify(meant)}`,
    )
  }
}

async function idsBy(app: TestApplication, query: string, token = STAFF): Promise<unknown> {
  const answer = await app.call('GET', `/r0?per_page=100&sort=id&${query}`, { token })
  if (answer.status !== 200) return answer.text
  const ids = answer.list.map(({ id }) => id)
  const { total, total_exact } = answer.body.meta.pagination
  const counted = total_exact === false ? ids.length : total
  return counted === ids.length ? ids : `${ids} of ${total}`
}

async function figuresBy(app: TestApplication, query: string): Promise<unknown> {
  const summary = await app.call('GET', `/r0/summary?of=count&${query}`, { token: STAFF })
  const file = await app.call('GET', `/r0/export?sort=id&${query}`, { token: STAFF })
  const lines = file.text.trim().split('\n').slice(1)
  return [summary.body.data?.[0]?.count ?? summary.text, lines.map((line) => Number(line.split(',')[0]))]
}

async function differences(one: Drawn): Promise<readonly string[] | undefined> {
  let app: TestApplication
  try {
    app = await application({ resources: filesWith(one), plugins: 'test/support/plugins' })
  } catch (error) {
    // What no record could fulfil, or says the same twice, is a mistake of its author.
    if (/No record fulfils/.test(String(error))) return undefined
    throw error
  }
  const { rows, shape } = one
  const live = rows[0]!.filter(({ deleted }) => !deleted)
  const findings = new Findings()
  const idsOf = (condition: JsonObject, decides: boolean): readonly number[] =>
    live.filter((row: Row) => holds(shape, rows, condition, 0, row, decides)).map(({ id }) => id)
  try {
    await insert(app.engine.database, app.engine.app.catalog, shape, rows)
    for (const condition of one.asked) {
      const query = `where=${encodeURIComponent(JSON.stringify(condition))}`
      const meant = idsOf(condition, false)
      findings.compare('where', condition, await idsBy(app, query), meant)
      findings.compare('figures', condition, await figuresBy(app, query), [meant.length, meant])
    }
    for (const [i, condition] of one.written.entries()) {
      const meant = idsOf(condition, false)
      findings.compare('filter', condition, await idsBy(app, `named${i}=true`), meant)
      const others = live.map(({ id }) => id).filter((id) => !meant.includes(id))
      findings.compare('filter that is false', condition, await idsBy(app, `named${i}=false`), others)
    }
    for (const [i, condition] of one.judging.entries()) {
      findings.compare('policy', condition, await idsBy(app, '', `2:role${i}:`), idsOf(condition, true))
      const kept: number[] = []
      for (const { id } of live.slice(0, 3)) {
        const answer = await app.call('PATCH', `/r0/${id}`, { token: STAFF, body: { [`touch${i}`]: true } })
        if (answer.status === 200) kept.push(id)
        else if (answer.status !== 409) findings.compare('rule', condition, answer.text, 200)
      }
      const ids = live.slice(0, 3).map(({ id }) => id)
      const meant = idsOf(condition, false).filter((id) => ids.includes(id))
      findings.compare('rule', condition, kept, meant)
    }
    return findings.found
  } finally {
    await app.close()
  }
}

test('a condition means the same in every place, and what the documentation says', async () => {
  let told = ''
  let skipped = 0
  const property = fc.asyncProperty(drawn, async (one) => {
    const found = await differences(one)
    if (found === undefined) skipped += 1
    if (found === undefined || found.length === 0) return
    told = `${found.slice(0, 4).join('\n')}\n${JSON.stringify(one.shape)}\n${JSON.stringify(one.rows)}`
    throw new Error(told)
  })
  const runs = Number(MACHINE_RUNS ?? (TEST_DATABASE_URL ? 4 : 2))
  const found = await fc.check(property, {
    numRuns: runs,
    ...(MACHINE_RUNS === undefined ? { interruptAfterTimeLimit: LONGEST_MS } : {}),
    endOnFailure: process.env.MACHINE_SHRINK === undefined,
    ...(seed === undefined ? {} : { seed: Number(seed) }),
    ...(path === undefined ? {} : { path }),
  })
  assert.not.ok(
    found.failed,
    `MACHINE_SEED=${found.seed},${found.counterexamplePath} runs it again.\n${found.errorInstance}`,
  )
  assert.ok(skipped < runs, 'every application was refused')
})

test.run()
