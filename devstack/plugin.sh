#!/usr/bin/env bash
# DevStack sources this file in each of its phases.

source "${HEAT_DEVSTACK_DIR:-$HEAT_DIR/devstack}/lib/heat"

if is_heat_enabled; then
    case "$1 ${2:-}" in
        'stack install')
            echo_summary "Installing Heat"
            install_heat
            ;;
        'stack post-config')
            echo_summary "Configuring Heat"
            configure_heat
            create_heat_accounts
            init_heat
            ;;
        'stack extra')
            echo_summary "Starting Heat"
            start_heat
            ;;
        'unstack '*)
            stop_heat
            ;;
        'clean '*)
            stop_heat
            cleanup_heat
            ;;
    esac
fi
