/** The reports plugin: the work of the desk in a period, as far as the caller may see it, kept as a file. */
import { definePlugin } from '../../../engine/index.ts'
import { filesNamedBy } from '../../files/stored.ts'
import { unreadableFonts } from './font-files.ts'
import { generateLater, JOB_ATTEMPTS } from './generate.ts'
import { routes } from './routes.ts'
import { tidy } from './tidy.ts'

const whole = (value: number, most: number, description: string) => ({
  type: 'integer',
  minimum: 0,
  maximum: most,
  default: value,
  description,
})

const RELIES_ON = {
  tickets: [
    'uid',
    'subject',
    'status_id',
    'priority_id',
    'department_id',
    'user_id',
    'assigned_to',
    'due_date',
    'first_response_at',
    'resolved_at',
  ],
  statuses: ['name', 'category'],
  priorities: ['name'],
  departments: ['name'],
  organizations: ['name'],
  users: ['first_name', 'last_name', 'organization_id'],
}

export default definePlugin({
  name: 'reports',
  description: 'Reports on tickets, agents, customers, departments and performance, as JSON, CSV, XLSX or PDF.',
  after: ['auth', 'tickets', 'media'],
  reliesOn: RELIES_ON,
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      job_tickets: whole(5_000, 1_000_000, 'A report about more tickets than this is made as a job.'),
      rows_shown: whole(1_000, 5_000, 'The rows in the answer; the file has all of them.'),
      pdf_rows: whole(2_000, 20_000, 'The rows in a PDF, which says so when there are more.'),
      fonts: {
        type: 'array',
        items: { type: 'string', format: 'file', minLength: 1 },
        default: [],
        description:
          'Files of fonts in the folder of app.yaml, `fonts/NotoSansThai-Regular.ttf`: a PDF draws each character in the first one that has it, and in the shipped ones after them.',
      },
      keep_files_days: {
        type: 'integer',
        minimum: 1,
        maximum: 36_500,
        description: 'Files of reports that are older are let go, and removed 30 days later; without it they stay.',
      },
    },
  },
  rules: [unreadableFonts],
  permissions: {
    'reports.view': 'May read the reports of everybody.',
    'reports.generate': 'May make reports of what they may see, and read those.',
  },
  resources: ['reports', 'de.words'].map((name) => new URL(`./resources/${name}.yaml`, import.meta.url)),
  jobs: {
    generate: {
      description: 'Makes a report about many tickets.',
      attempts: JOB_ATTEMPTS,
      long: true,
      run: generateLater,
    },
    tidy: { description: 'Puts away files that no report names.', every: '1 hour', run: tidy },
  },
  routes,
  files: filesNamedBy('reports', 'file_key'),
})
