! Steps a wave along a wire, and writes what probes see of it to a file for each probe:
! probes each|open|end STEPS
! Each file is opened, appended to and closed in each step; or stays open; or is written at the end.
program probes
    implicit none
    integer, parameter :: many = 40, points = 400
    character(len=16) :: mode, word
    real(8) :: before(points), now(points), after(points)
    real(8), allocatable :: seen(:, :)
    integer :: units(many), unit, probe, step, steps
    call get_command_argument(1, mode)
    call get_command_argument(2, word)
    read (word, *) steps
    allocate (seen(steps, many))
    do probe = 1, many
        open (newunit=units(probe), file=named(probe), status='replace', action='write')
        write (units(probe), '(a, i0)') 'probe ', probe
        if (mode == 'each') close (units(probe))
    end do
    now = [(1 / (1 + 0.01d0 * (step - 50)**2), step=1, points)]
    before = now
    do step = 1, steps
        after = 0
        after(2:points - 1) = now(2:points - 1) + now(2:points - 1) - before(2:points - 1) &
            + 0.25d0 * (now(3:) - 2 * now(2:points - 1) + now(:points - 2))
        before = now
        now = after
        do probe = 1, many
            seen(step, probe) = now(probe * points / many)
            if (mode == 'end') cycle
            if (mode == 'each') then
                open (newunit=unit, file=named(probe), status='old', position='append', &
                    action='write')
            else
                unit = units(probe)
            end if
            write (unit, '(i8, es16.8)') step, seen(step, probe)
            if (mode == 'each') close (unit)
        end do
    end do
    if (mode == 'end') then
        do probe = 1, many
            write (units(probe), '(i8, es16.8)') (step, seen(step, probe), step=1, steps)
        end do
    end if
contains
    function named(probe) result(name)
        integer, intent(in) :: probe
        character(len=11) :: name
        write (name, '(a, i2.2, a)') 'probe', probe, '.dat'
    end function named
end program probes
