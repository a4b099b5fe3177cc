/** The media plugin: files of records, checked on arrival, stored on disk or at an S3-compatible server. */
import {
  definePlugin,
  deleteInBatches,
  type JobContext,
  type Json,
  type JsonObject,
  LIMITS,
  type PluginContext,
  type Resource,
  type Route,
} from '../../engine/index.ts'
import { checkStorage } from '../files/doctor.ts'
import { keepFiles, namedBy } from '../files/keeper.ts'
import { storageOf } from '../files/open-storage.ts'
import { S3 } from '../files/s3.ts'
import { filesNamedBy } from '../files/stored.ts'
import { attachments } from './attachments.ts'
import { keepType, oneRecord, recordFields, removeFile, removeLater } from './hooks.ts'
import { KINDS, USUAL } from './kinds.ts'
import { dayOf } from './quota.ts'
import { download, upload } from './upload.ts'

/** This many tries take over an hour: enough time for a storage to come back. */
const ATTEMPTS = 14

/** The options in app.yaml. */
const OPTIONS = {
  type: 'object',
  additionalProperties: false,
  properties: {
    max_bytes: {
      type: 'integer',
      minimum: 1,
      maximum: 1_073_741_824,
      default: LIMITS.uploadBytes,
      description: 'The largest file, in bytes.',
    },
    daily_bytes: {
      type: 'integer',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 524_288_000,
      description: 'How many bytes of files one account may store in a day (UTC), those it deletes again included.',
    },
    types: {
      type: 'array',
      uniqueItems: true,
      items: { enum: KINDS.flatMap(({ extensions }) => extensions) },
      default: USUAL,
      description: 'The types of file that are taken, by what their names end with.',
    },
  },
}

export default definePlugin({
  name: 'media',
  description:
    'Takes files, tells their type by their content, stores them on disk or at an S3 server, and gives them back.',
  after: ['auth', 'tickets'],
  options: OPTIONS,
  keys: {
    attachments: {
      description: 'Whether records have files, which come by POST /media; false if absent.',
      schema: { type: 'boolean', default: false, examples: [true] },
    },
  },
  transforms: [attachments],
  resources: ['media', 'media_uses', 'de.words'].map((name) => new URL(`./resources/${name}.yaml`, import.meta.url)),
  hooks: {
    keep_type: { run: keepType, transaction: false },
    one_record: { run: oneRecord, transaction: false },
    remove_file: removeFile,
  },
  jobs: {
    tidy: {
      description: 'Moves files aside that no record names, and forgets counts of past days.',
      every: '1 hour',
      run: tidy,
    },
    remove: {
      description: 'Removes a file whose record was deleted.',
      attempts: ATTEMPTS,
      server: S3,
      run: removeLater,
    },
  },
  resourceRoutes,
  files: filesNamedBy('media', 'path'),
  check: checkStorage,
  start,
})

function resourceRoutes(resource: Resource, options: JsonObject): readonly Route[] {
  if (resource.name !== 'media') return []
  const path = `/${resource.path}`
  // Asked before the file is received; the policies judge the record when it is stored or read.
  const may = (action: 'view' | 'create') => resource.policies[action].flatMap((clause) => clause.access)
  return [
    {
      method: 'POST',
      path,
      summary: 'Upload a file',
      tag: resource.name,
      access: may('create'),
      body: 'multipart',
      upload: { bytes: Number(options.max_bytes), files: 1 },
      input: Object.fromEntries(recordFields(resource).map(({ name, type }) => [name, { type: type.name }])),
      status: 201,
      once: true,
      output: { $ref: '#/resources/media' },
      handle: upload,
    },
    {
      method: 'GET',
      path: `${path}/{id}/download`,
      summary: 'Download a file',
      tag: resource.name,
      access: may('view'),
      query: {},
      produces: KINDS.map(({ mime }) => mime),
      tagged: true,
      handle: download,
    },
  ]
}

/** Reports impossible settings before the first request. */
async function start({ settings }: PluginContext): Promise<readonly string[]> {
  return [`Files      ${storageOf(settings).description}`]
}

/** Files that a crash left between file and record, and the counts of past days. */
async function tidy(context: JobContext): Promise<Json | undefined> {
  const { catalog, database, now, signal } = context
  const { table } = catalog.resources.get('media_uses')!
  await deleteInBatches(database.adhoc, { table, where: 'day < $1::date', values: [dayOf(now())] }, signal)
  const named = namedBy(context, 'media', 'path')
  return named && { ...(await keepFiles(context, 'media', named)) }
}
