/** The routes by which a developer edits the files of the application from a page: shown first, written by their hash. */
import {
  ApiError,
  applyPlanOf,
  EditRefused,
  FileChanged,
  type FileEdit,
  invalid,
  isObject,
  LIMITS,
  type Json,
  ownFiles,
  presentFiles,
  propose,
  type Reply,
  type Route,
  type RouteContext,
  textHash,
  writeProposal,
} from '../../engine/index.ts'

const KINDS = ['set', 'add', 'remove', 'rename', 'move'] as const
/** More changes than people make at once. */
const MOST_EDITS = 200
const UNCACHED = { 'cache-control': 'private, no-store' }

/** The changes of a body. Throws 422 with the first that is none. */
function editsOf(value: Json | undefined): readonly FileEdit[] {
  if (!Array.isArray(value) || value.length === 0) throw wrongEdit('edits', 'must be a list of changes')
  if (value.length > MOST_EDITS) throw wrongEdit('edits', `must be ${MOST_EDITS} changes at most`)
  return value.map((one: Json, at): FileEdit => {
    const wrong = (key: string, sentence: string): ApiError => wrongEdit(`edits.${at}.${key}`, sentence)
    if (!isObject(one)) throw wrongEdit(`edits.${at}`, 'must be a change: { file, hash, path, op, value }')
    const { file, hash, op, path } = one
    if (typeof file !== 'string') throw wrong('file', 'must be the path of a file')
    if (hash !== null && typeof hash !== 'string')
      throw wrong('hash', 'must be the hash of the file, or null for a new one')
    if (!Array.isArray(path) || !path.every((key) => typeof key === 'string' || Number.isInteger(key)))
      throw wrong('path', 'must be a list of keys and places')
    const kind = KINDS.find((known) => known === op)
    if (kind === undefined) throw wrong('op', `must be one of ${KINDS.join(', ')}`)
    return { file, hash, op: kind, path: path as FileEdit['path'], value: one.value ?? null }
  })
}

function wrongEdit(field: string, sentence: string): ApiError {
  return invalid({ [field]: [sentence] })
}

/** Does the work on changes; what cannot be changed is 422 at the change, and a file that is another one by now 409. */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof EditRefused) throw wrongEdit(`edits.${error.at}`, error.message)
    if (error instanceof FileChanged) throw new ApiError('conflict', { message: error.message })
    throw error
  }
}

/** The files of the application itself with their texts, and those below it by their names. */
async function files(context: RouteContext): Promise<Reply> {
  const sources = await presentFiles(context)
  const data = {
    own: ownFiles(sources).map(({ file, text }) => ({ file, text, hash: textHash(text) })),
    below: sources.base === undefined ? [] : ownFiles(sources.base).map(({ file }) => file),
  }
  return { data, headers: UNCACHED }
}

async function edits(context: RouteContext): Promise<Reply> {
  const changes = editsOf(context.body.edits)
  return { data: await refusing(() => propose(context, changes)), headers: UNCACHED }
}

async function write(context: RouteContext): Promise<Reply> {
  const changes = editsOf(context.body.edits)
  const written = await refusing(() => writeProposal(context, changes, String(context.body.hash)))
  if (written === undefined) {
    const message = 'The changes would make other files than those that were shown: look at them again'
    throw new ApiError('conflict', { message })
  }
  context.log.info(
    { files: written.files, actor: context.actor.id },
    'files of the application were edited by the page',
  )
  return { data: written, headers: UNCACHED }
}

/** Answers at once: requests wait while tables are altered, and this one is among them. */
async function plans(context: RouteContext): Promise<Reply> {
  const { body, log } = context
  setImmediate(() => {
    applyPlanOf(context, String(body.hash)).then(
      (diagnostics) => {
        if (diagnostics.length > 0)
          log.warn({ diagnostics: diagnostics.map(({ message }) => message) }, 'the plan was not applied')
      },
      (error: unknown) => log.error({ err: error }, 'the plan could not be applied'),
    )
  })
  return { status: 202, data: { hash: String(body.hash) }, headers: UNCACHED }
}

/** What all of them have in common. */
const ROUTE = { absolute: true, tag: 'Schema', access: 'explain', developing: true } as const
const EDITS = { type: 'json', required: true, max_bytes: LIMITS.jsonBytes } as const
const HASH = { type: 'string', required: true, max: 64 } as const

export const editRoutes: readonly Route[] = [
  {
    ...ROUTE,
    method: 'GET',
    path: '/schema/files',
    summary: 'The files of the application with their texts',
    query: {},
    handle: files,
  },
  {
    ...ROUTE,
    method: 'POST',
    path: '/schema/edits',
    summary: 'What changes of the files would do; writes nothing',
    input: { edits: EDITS },
    handle: edits,
  },
  {
    ...ROUTE,
    method: 'POST',
    path: '/schema/files',
    summary: 'Write the files of changes that were shown, by their hash',
    input: { edits: EDITS, hash: HASH },
    handle: write,
  },
  {
    ...ROUTE,
    method: 'POST',
    path: '/schema/plans',
    summary: 'Bring the database to the present files by a plan that was shown, by its hash',
    input: { hash: HASH },
    handle: plans,
  },
]
