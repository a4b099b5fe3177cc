/** The public names of the test kit, `plinth/test`: applications that run for a test, their people and their answers. */
export type { SentMail } from '../plugin/plugin.ts'
export type { Answer, Sent } from './answer.ts'
export {
  type ApplicationOptions,
  application,
  type FalseProvider,
  type Person,
  type Requests,
  type TestApplication,
} from './application.ts'
export type { Account } from './people.ts'
export type { SystemRecords } from './system.ts'
