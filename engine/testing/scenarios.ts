/** ⇄ Runs the scenarios of one file against the application, one after the other on one database. */
import type { Document, Path } from '../definition/definition.ts'
import type { ScenarioFile, Step } from '../definition/scenario.ts'
import { isObject, type Json } from '../json.ts'
import type { Diagnostic } from '../text/diagnostic.ts'
import type { Answer } from './answer.ts'
import { type ApplicationOptions, application, type TestApplication } from './application.ts'
import { clausesOf } from './coverage.ts'
import { differences } from './differences.ts'

export interface ScenarioResult {
  readonly name: string
  /** Empty: it holds. */
  readonly diagnostics: readonly Diagnostic[]
}

export interface ScenarioRun {
  readonly results: readonly ScenarioResult[]
  /** The places of the clauses by which requests were answered. */
  readonly exercised: ReadonlySet<string>
}

/** What later steps may name. */
type Kept = Map<string, Json>

interface Running {
  readonly app: TestApplication
  readonly file: Document<ScenarioFile>
  readonly exercised: Set<string>
  readonly kept: Kept
}

/** Runs every scenario; a step that fails ends its own scenario. */
export async function runScenarios(file: Document<ScenarioFile>, options: ApplicationOptions): Promise<ScenarioRun> {
  const app = await application(options)
  try {
    const exercised = new Set<string>()
    const results: ScenarioResult[] = []
    for (const [name, steps] of Object.entries(file.value.scenarios)) {
      results.push({ name, diagnostics: await runOne({ app, file, exercised, kept: new Map() }, name, steps) })
    }
    return { results, exercised }
  } finally {
    await app.close()
  }
}

async function runOne(running: Running, name: string, steps: readonly Step[]): Promise<readonly Diagnostic[]> {
  for (const [index, step] of steps.entries()) {
    const found = await runStep(running, step, ['scenarios', name, index])
    if (found.length > 0) return found
  }
  return []
}

function failed({ file }: Running, at: Path, message: string, hint?: string): Diagnostic {
  return { code: 'scenario_failed', message, span: file.place(at), ...(hint === undefined ? {} : { hint }) }
}

async function runStep(running: Running, step: Step, at: Path): Promise<readonly Diagnostic[]> {
  const { app, exercised, kept } = running
  const [role, ...names] = (step.as ?? '').split(' ')
  try {
    const person = role ? await app.person(role, names.join(' ') || undefined) : undefined
    const [method = '', path = ''] = step.request.split(' ')
    const whole = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(keptAs(kept, name))))
    const { prefix } = app.engine.app.catalog
    // Before the request: one that deletes leaves no record to look at.
    const clauses = await clausesOf(app.engine, person?.id, `${method} ${prefix}${whole}`)
    const body = step.body === undefined ? {} : { body: filled(step.body, kept) }
    const answer = await (person ?? app).request(method, whole, body)
    if (answer.status < 300) for (const clause of clauses) exercised.add(clause)
    return judged(running, step, at, answer)
  } catch (error) {
    return [failed(running, at, error instanceof Error ? error.message : String(error))]
  }
}

function judged(running: Running, step: Step, at: Path, answer: Answer): readonly Diagnostic[] {
  const told = answer.text === '' ? undefined : `the answer is ${answer.text.slice(0, 500)}`
  if (answer.status !== step.status) {
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
  return isObject(part) && Object.hasOwn(part, key) ? part[key] : undefined
}

function keptAs(kept: Kept, name: string): Json {
  const value = kept.get(name)
  if (value === undefined) throw new Error(`No step before keeps {${name}}`)
  return value
}

/** The value with what was kept in the place of `"{name}"`. */
function filled(value: Json, kept: Kept): Json {
  if (Array.isArray(value)) return value.map((item: Json) => filled(item, kept))
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, filled(part, kept)]))
  }
  const name = typeof value === 'string' ? /^\{(\w+)\}$/.exec(value)?.[1] : undefined
  return name === undefined ? value : keptAs(kept, name)
}
