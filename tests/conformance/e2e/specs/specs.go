// SPDX-License-Identifier: Apache-2.0

// Package specs has tests alone.
package specs
