/**
 * The description of what is served ⇄: API and access as JSON, kept in the database for `plinth plan` to compare with.
 */
import { type DescribedAccess, describeAccess } from '../access/description.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Database, Runner } from '../database/database.ts'
import type { Sources } from '../definition/read.ts'
import type { BoundRoute } from '../http/bound-route.ts'
import { LIMITS } from '../limits.ts'
import { memo } from '../memo.ts'
import { keepServed, keepServedFiles, servedFiles } from '../migration/own/facts.ts'
import type { Logger } from '../observe.ts'
import { contractOf } from '../openapi/compare/contract.ts'
import type { OpenApiDocument } from '../openapi/openapi-document.ts'
import { describeApplication } from '../openapi/routes.ts'
import type { Composition } from '../plugin/compose.ts'
import { inTurns, type Pieces } from '../turns.ts'
import { type BootOptions, catalogFrom } from './boot.ts'
import { madeFrom, programVersion } from './files-version.ts'
import { pluginFolders } from './layers.ts'

/** The format of the stored description; another version of Plinth may have written another one. */
const FORM = 1

/** The stored description, with which later YAML is compared. */
export interface ServedDescription {
  readonly form: typeof FORM
  readonly api: OpenApiDocument
  readonly access: DescribedAccess
}

/** Describes an application by its catalog, its routes and its document; with `places`, also where its rules are. */
export function describeServed(
  catalog: Catalog,
  routes: readonly BoundRoute[],
  document: OpenApiDocument,
  places = false,
): ServedDescription {
  return { form: FORM, api: contractOf(document), access: describeAccess(catalog, routes, places) }
}

/** The stored description; undefined where it has another format. */
export function readServed(text: string): ServedDescription | undefined {
  const read = JSON.parse(text) as { readonly form?: unknown }
  return read.form === FORM ? (read as ServedDescription) : undefined
}

/** The files of what is served, with the program that served them. */
interface KeptFiles {
  /** A hash of its code. */
  readonly program: string
  readonly files: Sources
}

/**
 * What the present program makes of the files that were served before: their interface, or that another one made the
 * same of them; undefined where the files were not kept, or are files of this program no more.
 */
export async function madeOfServed(
  runner: Runner,
  { pluginsDir }: Pick<BootOptions, 'pluginsDir'>,
): Promise<OpenApiDocument | 'same program' | undefined> {
  const text = await servedFiles(runner)
  if (text === undefined) return undefined
  const { files, program } = JSON.parse(text) as KeptFiles
  if (program === (await programVersion())) return 'same program'
  const { value } = await catalogFrom({ value: files, diagnostics: [] }, pluginsDir)
  return value && contractOf(describeApplication(value.catalog, value.routes, value.composition))
}

/** The served app, with its document on demand. */
interface Serving {
  readonly catalog: Catalog
  readonly files: Sources
  readonly composition: Pick<Composition, 'plugins'>
  readonly routes: readonly BoundRoute[]
  readonly documentPieces: () => Pieces<OpenApiDocument>
}

export interface ServedKeeper {
  /** The process serves these files from now on. */
  begin(version: string): void
  /** Another application, of these files, takes the place of the one that is served; nothing where none is. */
  again(version: string): void
  /** Does work that may bring another application: meanwhile nothing is described, which would soon be out of date. */
  during<T>(work: () => Promise<T>): Promise<T>
  /** Resolves when the last write has ended; an app that was served only for a moment is not stored. */
  end(): Promise<void>
}

interface KeeperParts {
  readonly database: Pick<Database, 'adhoc'>
  readonly log: Logger
  readonly settings: BootOptions
}

/** The description of what is served, as text. */
function* description({ catalog, routes, documentPieces }: Serving): Pieces<string> {
  const made = yield* documentPieces()
  yield
  const described = describeServed(catalog, routes, made)
  yield
  return JSON.stringify(described)
}

/** The text that was made of a catalog: a process of tests serves the same one on many databases. */
const textOf = memo((_: Catalog): { text?: string } => ({}))

/** The text; undefined where it is wanted no more before it is made. */
async function describedIn(app: Serving, isWanted: () => boolean): Promise<string | undefined> {
  const known = textOf(app.catalog)
  if (known.text !== undefined) return known.text
  const made = await inTurns(whileWanted(description(app), isWanted))
  if (made !== undefined) known.text = made
  return made
}

function* whileWanted<T>(pieces: Pieces<T>, isWanted: () => boolean): Pieces<T | undefined> {
  while (isWanted()) {
    const step = pieces.next()
    if (step.done === true) return step.value
    yield
  }
  return undefined
}

/** Writes down what is served, unless it is wanted no more meanwhile. */
async function writeServed(
  { database, log, settings }: KeeperParts,
  app: Serving,
  version: string,
  isWanted: () => boolean,
): Promise<void> {
  try {
    const from = await madeFrom(version, app.composition, { ...settings, below: pluginFolders(app.files) })
    await keepServed(database.adhoc, from, async () => {
      const text = await describedIn(app, isWanted)
      if (text === undefined) return undefined
      const kept: KeptFiles = { program: await programVersion(), files: app.files }
      await keepServedFiles(database.adhoc, from, JSON.stringify(kept))
      return text
    })
  } catch (error) {
    log.warn({ err: error }, 'what is served could not be written down: `plinth plan` compares with what was before')
  }
}

/** Stores the description in the database a while after an app began to be served. */
export function createServedKeeper(parts: KeeperParts, serving: () => Serving | undefined): ServedKeeper {
  let timer: NodeJS.Timeout | undefined
  let written = Promise.resolve()
  /** The version that is served and not described yet, and how much work may bring another one. */
  let [due, coming]: [string | undefined, number] = [undefined, 0]
  let isBegun = false
  const write = async (version: string): Promise<void> => {
    const isWanted = (): boolean => due === version && coming === 0
    const app = serving()
    if (app === undefined || !isWanted()) return
    await writeServed(parts, app, version, isWanted)
    if (isWanted()) due = undefined
  }
  const wait = (): void => {
    clearTimeout(timer)
    const version = due
    if (version === undefined || coming > 0) return
    timer = setTimeout(() => {
      written = written.then(() => write(version))
    }, LIMITS.rememberAfterMs)
    timer.unref()
  }
  const begin = (version: string): void => {
    isBegun = true
    due = version
    wait()
  }
  return {
    begin,
    again: (version) => (isBegun ? begin(version) : undefined),
    async during(work) {
      coming += 1
      clearTimeout(timer)
      try {
        return await work()
      } finally {
        coming -= 1
        wait()
      }
    },
    end() {
      clearTimeout(timer)
      return written
    },
  }
}
