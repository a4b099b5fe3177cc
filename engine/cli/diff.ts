/** `plinth diff`: the changes for clients between two OpenAPI documents, and whether they break clients. */
import { readFile } from 'node:fs/promises'
import { fileReason } from '../error.ts'
import { type CausedChange, compareDocuments } from '../openapi/compare/documents.ts'
import type { Change } from '../openapi/compare/schemas.ts'
import type { OpenApiDocument } from '../openapi/openapi-document.ts'
import { describeApplication } from '../openapi/routes.ts'
import { together } from '../text/alike.ts'
import { readApplication } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'

/** The longest wait for the document of a server, in milliseconds. */
const ANSWER_MS = 10_000

export async function run(invocation: Invocation): Promise<ExitCode> {
  const [from = '', to] = invocation.positionals
  const older = await documentAt(invocation, from)
  const newer = to === undefined ? await ownDocument(invocation) : await documentAt(invocation, to)
  if (older === undefined || newer === undefined) return 1
  const changes = compareDocuments(older, newer)
  const breaking = changes.filter((change) => change.breaking)
  invocation.say(
    invocation.options.json === true
      ? JSON.stringify(changes, null, 2)
      : changesAsText(changes, invocation.options.all === true),
  )
  return breaking.length === 0 ? 0 : 1
}

/** The document of a file or an address; undefined where there is none, with the reason shown. */
async function documentAt({ complain }: Invocation, place: string): Promise<OpenApiDocument | undefined> {
  try {
    const document = JSON.parse(await textAt(place)) as OpenApiDocument
    if (typeof document?.openapi === 'string' && typeof document.paths === 'object') return document
    complain(`${place} is no OpenAPI document: it has no "openapi" and "paths"`)
  } catch (error) {
    complain(`${place} cannot be read: ${fileReason(error)}`)
  }
  return undefined
}

async function textAt(place: string): Promise<string> {
  if (!/^https?:\/\//.test(place)) return readFile(place, 'utf8')
  const answer = await fetch(place, { signal: AbortSignal.timeout(ANSWER_MS) })
  if (!answer.ok) throw new Error(`the answer is ${answer.status}`)
  return answer.text()
}

async function ownDocument(invocation: Invocation): Promise<OpenApiDocument | undefined> {
  const application = await readApplication(invocation)
  if (application === undefined) return undefined
  const { catalog, composition, routes } = application
  return describeApplication(catalog, routes, composition)
}

/** So many lines of changes that break nobody are shown, unless all are wanted. */
const HARMLESS_SHOWN = 2

/**
 * Changes for people: first those that break clients, with their number; those of the program apart from those of the
 * files, where both are known. Equal changes in several places are one line, and many that break nobody are counted, unless
 * `all` are wanted.
 */
export function changesAsText(changes: readonly Told[], all = false): string {
  if (changes.length === 0) return 'Nothing changes for clients.'
  const [breaking, others] = [true, false].map((kind) => changes.filter((change) => change.breaking === kind))
  const count = `${breaking!.length} of ${changes.length} ${changes.length === 1 ? 'change breaks' : 'changes break'} clients.`
  // Where all of them are the files', which is so within one version of the program, no heading needs to say it.
  const isCaused = changes.some((change) => causeOf(change) !== CAUSES.files)
  const section = (title: string, list: readonly Told[], shown: number): readonly string[] =>
    Object.values(CAUSES).flatMap((cause) => {
      const caused = list.filter((change) => causeOf(change) === cause)
      if (caused.length === 0) return []
      const lines = all ? caused.map(({ where, what }) => `  ${where}: ${what}`) : equalAsLines(caused)
      const left = lines.length - shown
      const rest = left <= 1 ? lines : [...lines.slice(0, shown), `  … and ${left} lines more by --all`]
      return [isCaused ? `${title}, ${cause}` : title, ...rest]
    })
  return [
    ...section('breaking', breaking!, Number.POSITIVE_INFINITY),
    ...section('not breaking', others!, all ? Number.POSITIVE_INFINITY : HARMLESS_SHOWN),
    count,
  ].join('\n')
}

type Told = Change | CausedChange

const CAUSES = { program: 'by the program', both: 'by the program and the files', files: 'by the files' }

function causeOf(change: Told): string {
  return 'cause' in change ? CAUSES[change.cause] : CAUSES.files
}

/** What a change of a limit says, behind the part that it is about. */
const LIMIT = /has (?:no |the )?(?:min|max|exclusive|pattern|format|multipleOf|uniqueItems).*$/

/** `UpdateContactAnswer and 22 more: has one form more`; equal limits of several parts are equal changes too. */
function equalAsLines(changes: readonly Change[]): readonly string[] {
  const kindOf = ({ what }: Change): string => LIMIT.exec(what)?.[0] ?? what
  return together(changes, kindOf).map(([change, ...more]) =>
    more.length === 0
      ? `  ${change.where}: ${change.what}`
      : `  ${change.where} and ${more.length} more: ${kindOf(change)}`,
  )
}
