/** ⇄ Runs a scenario against an application: sends its requests, moves its clock, and compares the answers. */
import { SYSTEM } from '../actor.ts'
import type { Document, Path } from '../definition/definition.ts'
import type { ScenarioFile, Step } from '../definition/scenario.ts'
import { isObject, type Json } from '../json.ts'
import type { Diagnostic } from '../text/diagnostic.ts'
import type { Answer, Sent } from './answer.ts'
import type { TestApplication } from './application.ts'
import { askedBy, computedIn, exercisedBy, refusedBy, writtenBy } from './coverage.ts'
import { automationsSince, followsOf, rowsKept, runsSoFar, type Written } from './followed.ts'
import { mailsRead, writtenBySystem } from './written.ts'

export interface ScenarioResult {
  readonly name: string
  /** Empty: it passed. */
  readonly diagnostics: readonly Diagnostic[]
  /** The parts of the catalog that its requests exercised. */
  readonly exercised: ReadonlySet<object>
}

/** The values that later steps may name. */
type Kept = Map<string, Json>

interface Running {
  readonly app: TestApplication
  readonly file: Document<ScenarioFile>
  /** undefined: nobody asks. */
  readonly exercised: Set<object> | undefined
  readonly kept: Kept
  /** The mails of earlier scenarios. */
  readonly mailed: ReadonlySet<string>
}

/** Runs one scenario up to the first step that fails, and watches what its steps exercise. */
export async function watchScenario(
  app: TestApplication,
  file: Document<ScenarioFile>,
  name: string,
): Promise<ScenarioResult> {
  const before = await runsSoFar(app.engine)
  const exercised = new Set<object>()
  const diagnostics = await runScenario(app, file, name, exercised)
  // What is not done within the time is not exercised.
  if (app.engine.app.automations.length > 0) await app.settled().catch(() => undefined)
  for (const part of await automationsSince(app.engine, before)) exercised.add(part)
  return { name, diagnostics, exercised }
}

/** Runs one scenario up to the first step that fails, and collects what its steps exercise, where that is asked for. */
export async function runScenario(
  app: TestApplication,
  file: Document<ScenarioFile>,
  name: string,
  exercised?: Set<object>,
): Promise<readonly Diagnostic[]> {
  const steps = file.value.scenarios[name] ?? []
  const mails = steps.some((step) => step.mails !== undefined) ? await mailsBefore(app) : []
  const mailed = new Set(mails.map(({ id }) => id))
  const running: Running = { app, file, exercised, kept: new Map(), mailed }
  for (const [index, step] of steps.entries()) {
    const diagnostics = await runStep(running, step, ['scenarios', name, index])
    if (diagnostics.length > 0) return diagnostics
  }
  return []
}

async function mailsBefore(app: TestApplication): ReturnType<TestApplication['mails']> {
  await app.settled()
  return app.mails()
}

function failed({ file }: Running, at: Path, message: string, hint?: string): Diagnostic {
  return { code: 'scenario_failed', message, span: file.place(at), ...(hint === undefined ? {} : { hint }) }
}

async function runStep(running: Running, step: Step, at: Path): Promise<readonly Diagnostic[]> {
  try {
    if (step.wait === undefined) return judged(running, step, at, await answerTo(running, step))
    await waited(running, step.wait)
    return []
  } catch (error) {
    return [failed(running, at, error instanceof Error ? error.message : String(error))]
  }
}

async function waited({ app, exercised }: Running, time: string): Promise<void> {
  if (exercised === undefined) return app.wait(time)
  const before = await rowsKept(app.engine)
  await app.wait(time)
  for (const [keep, rows] of await rowsKept(app.engine)) if (rows < before.get(keep)!) exercised.add(keep)
}

async function answerTo(running: Running, step: Step): Promise<Answer> {
  const { app, kept, mailed } = running
  const body = step.body === undefined ? undefined : filled(step.body, kept)
  if (step.mails !== undefined) {
    await app.settled()
    return mailsRead(app, step.mails, mailed, filled(step.answer ?? {}, kept))
  }
  return step.request === undefined ? writtenAnswer(running, step, body) : requestAnswer(running, step, body)
}

async function writtenAnswer({ app, exercised, kept }: Running, step: Step, body: Json | undefined): Promise<Answer> {
  const [name = '', written] = (step.create ?? step.update ?? '').split('/')
  const id = written === undefined ? undefined : named(written, kept)
  const answer = await writtenBySystem(app, name, id, body)
  if (exercised === undefined) return answer
  const { catalog } = app.engine.app
  const resource = catalog.resources.get(name)!
  const done = answer.status < 300 && isObject(body)
  const write: Written | undefined = done
    ? {
        resource,
        action: id === undefined ? 'create' : 'update',
        id: answer.data?.[resource.key.name],
        body,
        actor: SYSTEM,
      }
    : undefined
  const followed = write === undefined ? [] : await followsOf(app.engine, write)
  for (const part of [...refusedBy(catalog, name, answer), ...computedIn(resource, answer), ...followed])
    exercised.add(part)
  return answer
}

async function requestAnswer({ app, exercised, kept }: Running, step: Step, body: Json | undefined): Promise<Answer> {
  const { catalog } = app.engine.app
  const [role, ...names] = (step.as ?? '').split(' ')
  const person = role ? await app.person(role, names.join(' ') || undefined) : undefined
  const [method = '', path = ''] = (step.request ?? '').split(' ')
  const whole = named(path, kept)
  const sent = step.file === undefined ? (body === undefined ? {} : { body }) : form(step.file, body)
  if (exercised === undefined) return (person ?? app).request(method, whole, sent)
  const asked = await askedBy(app.engine, person?.id, `${method} ${catalog.prefix}${whole}`, body)
  const answer = await (person ?? app).request(method, whole, sent)
  const written = writtenBy(asked, answer)
  const followed = written === undefined ? [] : await followsOf(app.engine, written)
  for (const part of [...exercisedBy(catalog, asked, answer), ...followed]) exercised.add(part)
  return answer
}

function judged(running: Running, step: Step, at: Path, answer: Answer): readonly Diagnostic[] {
  const told = answer.text === '' ? undefined : `the answer is ${answer.text.slice(0, 500)}`
  if (step.status !== undefined && answer.status !== step.status) {
    return [failed(running, [...at, 'status'], `The status is ${answer.status}, not ${step.status}`, told)]
  }
  const found = differences(filled(step.answer ?? {}, running.kept), answer.body ?? {}).map((one) => {
    const shown = one.found === undefined ? 'is not there' : `is ${JSON.stringify(one.found)}`
    const message = `${one.at.join('.')} ${shown}, not ${JSON.stringify(one.expected)}`
    return failed(running, [...at, 'answer', ...one.at], message)
  })
  if (found.length > 0) return found
  return Object.entries(step.keep ?? {}).flatMap(([name, path]) => {
    const value = path.split('.').reduce<Json | undefined>((part, key) => valueAt(part, key), answer.body)
    if (value === undefined) return [failed(running, [...at, 'keep', name], `The answer has no ${path}`, told)]
    running.kept.set(name, value)
    return []
  })
}

function valueAt(part: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(part)) return part[Number(key)]
  return isObject(part) && Object.hasOwn(part, key) ? part[key] : undefined
}

function keptAs(kept: Kept, name: string): Json {
  const value = kept.get(name)
  if (value === undefined) throw new Error(`No step before keeps {${name}}`)
  return value
}

/** A path with values in place of `{name}`. */
function named(path: string, kept: Kept): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(keptAs(kept, name))))
}

/** A value with values in place of `"{name}"`. */
function filled(value: Json, kept: Kept): Json {
  if (Array.isArray(value)) return value.map((item: Json) => filled(item, kept))
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, filled(part, kept)]))
  }
  const name = typeof value === 'string' ? /^\{(\w+)\}$/.exec(value)?.[1] : undefined
  return name === undefined ? value : keptAs(kept, name)
}

/** One value that is not the expected one. */
export interface Difference {
  readonly at: readonly (string | number)[]
  readonly expected: Json
  /** undefined: no value. */
  readonly found: Json | undefined
}

/** The differences: keys that are not named may have any value, lists must have the same length. */
export function differences(expected: Json, found: Json | undefined, at: Difference['at'] = []): readonly Difference[] {
  if (isObject(expected) && isObject(found)) {
    return Object.entries(expected).flatMap(([name, value]) =>
      differences(value, Object.hasOwn(found, name) ? found[name] : undefined, [...at, name]),
    )
  }
  if (Array.isArray(expected) && Array.isArray(found) && expected.length === found.length) {
    return expected.flatMap((value: Json, index) => differences(value, found[index] as Json, [...at, index]))
  }
  return Object.is(expected, found) ? [] : [{ at, expected, found }]
}

const BOUNDARY = 'plinth-scenario-6f1d2a'

/** The form's body and type: the file as the part `file`, and the values of a map as parts of their own. */
function form({ name, text }: { readonly name: string; readonly text: string }, values: Json | undefined): Sent {
  const fields = isObject(values) ? Object.entries(values) : []
  const parts = fields.map(([key, value]) => part(`name="${key}"`, String(value)))
  const body = [
    ...parts,
    part(`name="file"; filename="${name}"\r\ncontent-type: application/octet-stream`, text),
    `--${BOUNDARY}--\r\n`,
  ].join('')
  const size = String(Buffer.byteLength(body))
  return { body, headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, 'content-length': size } }
}

function part(disposition: string, text: string): string {
  return `--${BOUNDARY}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n${text}\r\n`
}
