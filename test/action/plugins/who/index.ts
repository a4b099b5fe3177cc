/** The stub login of test/support, among this sample's own plugins. */
export { default } from '../../../support/plugins/who/index.ts'
