/** The notifications plugin: tells people of what happens on the desk, in their list and the important things by mail. */
import { definePlugin, isObject } from '../../../engine/index.ts'
import { unseededRoles } from '../../auth/roles.ts'
import { notifyAction } from './automation.ts'
import { SEVERAL } from './digest.ts'
import { addKinds, kindsOf } from './kinds.ts'
import { explainChange, tell } from './listener.ts'
import { NOTICE, UNCONFIRMED } from './mail.ts'
import { checkNotify, listenWhereTold, permissionsIn } from './notify-key.ts'
import { NOTIFY } from './notify-schema.ts'
import { OPTIONS, optionsOf } from './options.ts'
import { listRoutes } from './routes.ts'
import { settingsRoutes } from './settings.ts'
import { unassigned, WORDS } from './unassigned.ts'
import { textsOf } from './wording.ts'

const ALL = { any: [{ read_at: null }, { not: { read_at: null } }] }

export default definePlugin({
  name: 'notifications',
  description: 'Notifications for each user, made as soon as a write is committed; the important ones go by mail too.',
  after: ['auth', 'mail'],
  options: OPTIONS,
  resources: [
    new URL('./resources/notifications.yaml', import.meta.url),
    new URL('./resources/notification_settings.yaml', import.meta.url),
    new URL('./resources/de.words.yaml', import.meta.url),
  ],
  texts: { notice: NOTICE, several: SEVERAL, unconfirmed: UNCONFIRMED, ...WORDS },
  specials: {
    unread: {
      description: 'Whether only unread notifications are listed.',
      values: { true: { read_at: null }, '1': { read_at: null }, false: ALL, '0': ALL },
    },
  },
  rules: [(catalog, options) => unseededRoles(catalog, 'notifications', 'unassigned', optionsOf(options).unassigned)],
  hooks: { unassigned },
  listeners: {
    tell: {
      description: 'Tells people of what the key notify of resources names, in the order of the writes.',
      run: tell,
      explain: explainChange,
    },
  },
  keys: {
    notify: {
      description: 'Who is told of writes of these records, and in which words.',
      schema: NOTIFY,
      texts: (notify) =>
        Object.values(isObject(notify) ? notify : {}).flatMap((one) => (isObject(one) ? textsOf(one) : [])),
      permissions: permissionsIn,
      check: checkNotify,
    },
  },
  actions: { notify: notifyAction },
  transforms: [addKinds, listenWhereTold],
  resourceRoutes: (resource) =>
    resource.name === 'notifications' ? [...listRoutes(kindsOf(resource)), ...settingsRoutes(kindsOf(resource))] : [],
})
