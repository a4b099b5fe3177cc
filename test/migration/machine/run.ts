/** Runs one sequence on a real application, and compares it with the model behind each step. ⇄ */
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import type { ShownPlan } from '../../../engine/migration/plan.ts'
import { riskOf } from '../../../engine/migration/step.ts'
import { firstDifference, type Lists, settled } from './answers.ts'
import { forgetFollowing, lists, meanwhile, write } from './client.ts'
import { changed, counter, firstVersion, type Sequence, type Step } from './draw.ts'
import { amiss, make } from './made.ts'
import { emptyModel, type Model, type Outlook, outlook, setAside, type Verdict } from './model.ts'
import { type Instance, type Served, serve, type Told } from './served.ts'
import { difference, filesOf, tableOf, type Version } from './shape.ts'

/** What is known of a sequence while it runs. */
interface Running {
  readonly served: Served
  model: Model
  version: Version
  readonly history: Version[]
  readonly fresh: () => number
  readonly told: string[]
  /** Records that the client wrote while the last version was brought. */
  readonly written: Set<string>
  /** A second instance, while there is one. */
  other?: Instance | undefined
}

/** How often what happened, over all sequences. */
export interface Counts {
  readonly [what: string]: number
}

export const counts: Record<string, number> = {}
const count = (what: string): void => {
  counts[what] = (counts[what] ?? 0) + 1
}

const HELD_MS = 1_000

function verdictOf({ steps }: ShownPlan): Verdict {
  const asked = steps.filter(({ effect }) => effect !== 'removes')
  if (asked.some((step) => riskOf(step) === 'blocked')) return 'refused'
  return asked.some((step) => riskOf(step) === 'unsafe') ? 'unsafe' : 'safe'
}

/** What a plan says otherwise than the model. */
function misjudged(
  { plan, text }: { readonly plan: ShownPlan; readonly text: string },
  look: Outlook,
): string | undefined {
  const said = verdictOf(plan)
  const wanted = look.concerns.map(({ at, rows, why }) => `${rows ?? 'some'} rows of ${at} ${why}`).join('; ')
  if (said !== look.verdict) return `the plan is ${said}, not ${look.verdict} (${wanted})\n${text}`
  const missed = look.concerns.find(
    ({ at, rows }) =>
      !plan.steps.some(
        (step) =>
          riskOf(step) !== 'safe' && step.title.includes(at) && (rows === undefined || step.answer?.rows === rows),
      ),
  )
  return missed && `the plan does not tell that ${missed.rows ?? 'some'} rows of ${missed.at} ${missed.why}\n${text}`
}

async function compared({ served, other, model, version }: Running): Promise<Lists> {
  const found = await lists(served, version)
  const wrong = firstDifference(model, version, found)
  if (wrong !== undefined) throw new Error(wrong)
  const made = await amiss(served.database, model, version)
  if (made !== undefined) throw new Error(made)
  if (other !== undefined && !isDeepStrictEqual(await lists(other, version), found))
    throw new Error('the second instance answers otherwise')
  return found
}

/** Holds a lock on every table of the version for a while, as a person does whose session is left open. */
async function idle({ served, version }: Running): Promise<() => Promise<void>> {
  if (served.url === undefined) return async () => undefined
  const client = new pg.Client(served.url)
  await client.connect()
  await client.query('begin')
  for (const resource of version) await client.query(`select 1 from "${tableOf(resource)}" limit 1`)
  const ended = sleep(HELD_MS).then(async () => {
    await client.query('rollback')
    await client.end()
  })
  return () => ended
}

/** How often a version is brought that a busy machine had no time for. */
const TRIES = 6

/** Has a version served; gives what is in the way. */
async function bring(running: Running, step: Step, hash: string | undefined): Promise<string> {
  for (let left = TRIES; ; left -= 1) {
    const wrong = await broughtBy(running, step, hash)
    if (left === 1 || !wrong.includes('has not answered in')) return wrong
  }
}

async function broughtBy(running: Running, { way }: Step, hash: string | undefined): Promise<string> {
  const { served, model, version, written } = running
  if (hash !== undefined) return meanwhile(served, model, version, written, () => served.apply(hash))
  if (way === 'restart' || way === 'kill') return served.restart()
  if (way === 'idle session') {
    const ended = await idle(running)
    const wrong = await meanwhile(served, model, version, written, served.reload)
    await ended()
    return wrong
  }
  return meanwhile(served, model, version, written, way === 'reload' ? served.reload : served.rollOut)
}

interface Refused {
  readonly what: string
  /** Of the plan by which it is refused. */
  readonly hash?: string | undefined
  /** What the plan did not tell. */
  readonly why?: string
}

/** Why a version cannot be served, which its plan may not tell; undefined where it can. */
function refusalOf(
  running: Running,
  { way, word }: Step,
  next: Version,
  plan: ShownPlan,
  hash: string | undefined,
): Refused | undefined {
  const verdict = verdictOf(plan)
  if (verdict === 'refused' || (verdict === 'unsafe' && !word)) return { what: 'refused or left' }
  const { unsown } = outlook(running.model, next)
  if (unsown !== undefined) return { what: 'unsown', hash, why: `although ${unsown}` }
  if (hash !== undefined && plan.steps.some((step) => riskOf(step) === 'blocked'))
    return { what: 'refused to remove', hash }
  const isStart = way === 'restart' || way === 'kill'
  if (isStart && hash === undefined && plan.start.refuses.length > 0)
    return { what: 'refused as older', why: 'that only a person may go back to' }
  return undefined
}

/** A version that is refused leaves everything as it was, for the running server and for the next start. */
async function refused(running: Running, step: Step, before: Lists, { hash, why }: Refused): Promise<void> {
  const { served, version } = running
  const wrong = await bring(running, step, hash)
  if (wrong === '') throw new Error(`a version was served ${why ?? 'that the plan refuses'}`)
  await served.write(filesOf(version))
  if (step.way === 'restart' || step.way === 'kill' || step.onward) {
    const left = await served.restart()
    if (left !== '') throw new Error(`the version before does not start behind a refused one:\n${left}`)
  }
  const after = await compared(running)
  if (settled(version, after) !== settled(version, before))
    throw new Error(`answers differ behind a refused version:\n${wrong}`)
}

/** The plan of the files as they are, held against the model. */
async function judged(running: Running, next: Version): Promise<Told> {
  const told = await running.served.plan()
  if ('mistakes' in told) {
    running.told.push(told.mistakes)
    return told
  }
  running.told.push(told.text.trimEnd())
  const wrong = misjudged(told, outlook(running.model, next))
  if (wrong !== undefined) throw new Error(wrong)
  return told
}

/** One step, beside a second instance where it says so. */
async function step(running: Running, one: Step): Promise<void> {
  running.other = one.way === 'second instance' ? await running.served.beside() : undefined
  try {
    await stepped(running, one)
  } finally {
    await running.other?.close()
    running.other = undefined
  }
}

async function changesKept({ served }: Running): Promise<number> {
  const { rows } = await served.database.knex.raw('select coalesce(max(id), 0) as n from plinth_migration')
  return Number((rows as readonly { readonly n: string }[])[0]?.n)
}

/** Kills a start, and tells whether the files before are put back: they are where nothing was changed yet. */
async function isTakenBack(running: Running, { at, onward }: Step): Promise<boolean> {
  const kept = await changesKept(running)
  const isKilled = await running.served.killed(at)
  return isKilled && !onward && (await changesKept(running)) === kept
}

async function takenBack(running: Running, before: Lists): Promise<void> {
  const { served, version } = running
  count('killed and taken back')
  await served.write(filesOf(version))
  const left = await served.restart()
  if (left !== '') throw new Error(`the version before does not start behind a killed one:\n${left}`)
  const after = await compared(running)
  if (settled(version, after) !== settled(version, before)) throw new Error('answers differ behind a killed version')
}

async function stepped(running: Running, one: Step): Promise<void> {
  const { served, history, fresh, told: said } = running
  for (const each of one.writes) await write(served, running.model, running.version, each)
  for (const each of one.makes ?? [])
    said.push(await make(served.database, running.model, running.version, each, fresh))
  const before = await compared(running)
  const older = one.back > 0 ? history.at(-1 - one.back) : undefined
  const next = older ?? changed(running.version, one.changes, fresh)
  const kinds =
    older === undefined ? one.changes.map(({ kind }) => kind).join(', ') : `back to version ${history.indexOf(older)}`
  said.push(`\n— ${one.way}: ${kinds}\n${difference(filesOf(running.version), filesOf(next))}`)
  await served.write(filesOf(next))
  const told = await judged(running, next)
  if ('mistakes' in told) {
    count('mistaken')
    return refused(running, one, before, { what: 'mistaken' })
  }
  const verdict = verdictOf(told.plan)
  count(verdict)
  const hash = verdict === 'unsafe' || one.way === 'apply' ? told.plan.hash : undefined
  const no = refusalOf(running, one, next, told.plan, hash)
  if (no !== undefined) {
    count(no.what)
    return refused(running, one, before, no)
  }
  if (one.way === 'kill' && verdict === 'safe' && (await isTakenBack(running, one))) return takenBack(running, before)
  running.written.clear()
  const wrong = await bring(running, one, hash)
  if (wrong !== '') throw new Error(`a version was refused that the plan calls ${verdict}:\n${wrong}`)
  running.model = outlook(running.model, next).model
  if (hash !== undefined) setAside(running.model, next)
  running.version = next
  forgetFollowing(running.model, next, running.written)
  history.push(next)
  await compared(running)
}

/** Runs a sequence; throws what went wrong with all that led there. */
export async function run(sequence: Sequence): Promise<void> {
  const fresh = counter()
  const first = firstVersion(sequence, fresh)
  const told = [difference({}, filesOf(first))]
  let served: Served | undefined
  try {
    served = await serve(filesOf(first)).catch((error: unknown) => {
      // Not every application that can be drawn makes sense.
      if (String(error).includes(' error ')) return undefined
      throw error
    })
    if (served === undefined) return count('no application')
    const model = outlook(emptyModel(), first).model
    const running: Running = { served, model, version: first, history: [first], fresh, told, written: new Set() }
    await compared(running)
    for (const one of sequence.steps) await step(running, one)
    count('sequences')
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${told.join('\n')}`, { cause: error })
  } finally {
    await served?.close()
  }
}
