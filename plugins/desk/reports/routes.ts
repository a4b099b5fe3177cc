/** The routes beside those that the resource file gives: making a report, and its file. */
import type { Access, Route } from '../../../engine/index.ts'
import { download } from './download.ts'
import { generate } from './generate.ts'
import { FORMATS, TYPE_WORDS } from './kinds.ts'

/** Who makes reports reads those. */
const VIEW: readonly Access[] = [
  { kind: 'permission', permission: 'reports.view' },
  { kind: 'permission', permission: 'reports.generate' },
]

export const routes: readonly Route[] = [
  {
    method: 'POST',
    path: '/reports/generate',
    summary: 'Make a report',
    description:
      'The days are whole days in the time zone of the desk, both ends included; the last thirty if none are given. A report about many tickets is `pending` at first: read it again until it is `completed` or `failed`.',
    tag: 'reports',
    access: [{ kind: 'permission', permission: 'reports.generate' }],
    input: {
      type: { type: 'enum', values: [...TYPE_WORDS], required: true },
      format: { type: 'enum', values: Object.keys(FORMATS) },
      date_from: { type: 'date' },
      date_to: { type: 'date' },
    },
    status: 201,
    once: true,
    output: { $ref: '#/resources/reports' },
    handle: generate,
  },
  {
    method: 'GET',
    path: '/reports/{id}/download',
    summary: 'Download the file of a report',
    tag: 'reports',
    access: VIEW,
    query: {},
    produces: Object.values(FORMATS).map((type) => type.replace(/;.*/, '')),
    tagged: true,
    handle: download,
  },
]
